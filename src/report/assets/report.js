'use strict';
(() => {
  const one = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  // 65000 -> "1m 5s", in the words of the tables.
  const time = (ms) => {
    const units = [[86400000, 'd'], [3600000, 'h'], [60000, 'm'], [1000, 's']];
    if (ms < 1000) return ms > 0 ? Math.round(ms) + ' ms' : '0 s';
    if (ms < 60000) return +(ms / 1000).toFixed(1) + ' s';
    const at = units.findIndex(([length]) => ms >= length);
    const [length, letter] = units[at];
    const [next, nextLetter] = units[at + 1];
    let big = Math.floor(ms / length);
    let small = Math.round((ms - big * length) / next);
    if (small * next === length) { ++big; small = 0; }
    return big + letter + (small ? ' ' + small + nextLetter : '');
  };

  // --- Tooltips: what has a title shows it at once, also under a finger and to the arrow keys.
  const tip = one('#tip');
  let shown = null;
  const hide = () => {
    tip.hidden = true;
    if (shown) shown.classList.remove('on');
    shown = null;
  };
  const place = (x, y) => {
    const box = tip.getBoundingClientRect();
    const left = Math.max(4, Math.min(x + 12, document.documentElement.clientWidth - box.width - 4));
    const above = y - box.height - 10;
    tip.style.left = left + 'px';
    tip.style.top = (above > 4 ? above : y + 18) + 'px';
  };
  const show = (element, x, y) => {
    if (shown !== element) {
      hide();
      shown = element;
      element.classList.add('on');
      if (element.title) {
        element.dataset.t = element.title;
        element.removeAttribute('title');  // or the browser shows it a second time
      }
    }
    tip.textContent = element.dataset.t;
    tip.hidden = false;
    place(x, y);
  };
  const titled = (target) => target.closest && target.closest('.track i[title], .track i[data-t], .cell');
  document.addEventListener('pointermove', (event) => {
    const element = titled(event.target);
    if (element) show(element, event.clientX, event.clientY);
    else if (shown) hide();
  });
  document.addEventListener('click', (event) => {
    const element = titled(event.target);
    if (element) show(element, event.clientX, event.clientY);
    else hide();
  });
  document.addEventListener('scroll', () => shown && hide(), {capture: true, passive: true});
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hide();
  });
  // Left and right walk through what a focused chart shows.
  const walk = (container, selector) => {
    container.addEventListener('keydown', (event) => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step || event.target !== container) return;
      const items = all(selector, container);
      if (!items.length) return;
      event.preventDefault();
      const at = items.indexOf(shown);
      const next = items[at < 0 ? (step > 0 ? 0 : items.length - 1) : Math.max(0, Math.min(items.length - 1, at + step))];
      next.scrollIntoView({block: 'nearest', inline: 'nearest', behavior: 'instant'});
      requestAnimationFrame(() => requestAnimationFrame(() => {
        const box = next.getBoundingClientRect();
        show(next, box.left + Math.min(box.width / 2, 40), box.top);
      }));
    });
  };
  all('.rows').forEach((rows) => walk(rows, '.track i[title], .track i[data-t]'));
  const map = one('.map');
  if (map) {
    map.tabIndex = 0;
    map.setAttribute('role', 'group');
    map.setAttribute('aria-label', 'Topology; arrow keys walk through the nodes');
    walk(map, '.cell');
  }

  // --- Charts: the value under the pointer.
  const when = one('#when');
  const end = when ? +when.dataset.end : 0;
  all('.plot').forEach((plot) => {
    const values = plot.dataset.v.split(',').map(Number);
    const line = document.createElement('span');
    line.className = 'at';
    line.hidden = true;
    plot.append(line);
    const leave = () => { line.hidden = true; if (!shown) tip.hidden = true; };
    plot.addEventListener('pointermove', (event) => {
      event.stopPropagation();
      const box = plot.getBoundingClientRect();
      const at = Math.max(0, Math.min(values.length - 1, Math.floor((event.clientX - box.left) / box.width * values.length)));
      line.hidden = false;
      line.style.left = (at + .5) / values.length * 100 + '%';
      const word = values[at] === 1 ? plot.dataset.one : plot.dataset.many;
      const moment = end ? time(end * at / values.length) + ': ' : '';
      hide();
      tip.textContent = moment + values[at] + word;
      tip.hidden = false;
      place(event.clientX, event.clientY);
    });
    plot.addEventListener('pointerleave', leave);
  });

  // --- The slider of the topology.
  if (when) {
    const output = one('.when output');
    const parts = all('.map [data-l]').map((element) => ({
      element,
      base: [...element.classList].find((name) => /^l\d+$/.test(name)),
      bar: one('i', element.classList.contains('meter') ? element : document.createElement('i')),
      text: element.classList.contains('meter') ? element.nextElementSibling : null,
    }));
    parts.forEach((part) => {
      if (part.text) {
        part.mean = part.text.textContent;
        part.width = part.bar.style.width;
      }
      part.now = part.base;
    });
    const claims = all('.claim[data-from]');
    const draw = () => {
      const slice = +when.value;
      const count = +when.max;
      const from = end * (slice - 1) / count;
      const to = end * slice / count;
      output.textContent = slice ? time(from) + ' – ' + time(to) : 'whole run, mean';
      parts.forEach((part) => {
        const load = slice ? parseInt(part.element.dataset.l.substr((slice - 1) * 2, 2), 16) : null;
        const level = slice ? 'l' + (load ? Math.max(1, Math.min(10, Math.floor(load / 10 + .5))) : 0) : part.base;
        if (level !== part.now) {
          part.element.classList.replace(part.now, level);
          part.now = level;
        }
        if (part.text) {
          part.text.textContent = slice ? load + ' %' : part.mean;
          part.bar.style.width = slice ? load + '%' : part.width;
        }
      });
      claims.forEach((claim) => { claim.hidden = slice > 0 && !(+claim.dataset.from < to && +claim.dataset.to > from); });
      all('.map .pk').forEach((peak) => { peak.hidden = slice > 0; });
    };
    when.form.hidden = false;
    when.form.addEventListener('submit', (event) => event.preventDefault());
    when.addEventListener('input', draw);
    draw();
  }

  // --- The table: search, sort, and a page at a time.
  const table = one('#table');
  if (!table) return;
  const page = matchMedia('(max-width: 640px)').matches ? 40 : 200;
  const body = table.tBodies[0];
  const rows = [...body.rows].map((element, index) => ({element, index}));
  const find = one('#find');
  const found = one('.find output');
  const more = one('#more');
  let limit = page;
  const number = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
  const update = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    rows.forEach((row) => {
      if (words.length && row.text === undefined) row.text = row.element.textContent.toLowerCase();
      const fits = words.every((word) => row.text.includes(word));
      if (fits) ++count;
      row.element.hidden = !fits || count > limit;
    });
    const total = number(rows.length) + (rows.length === 1 ? ' group' : ' groups');
    found.textContent = words.length ? number(count) + ' of ' + total : total;
    more.hidden = count <= limit;
    more.textContent = 'Show all ' + number(count);
  };
  let timer = 0;
  find.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => { limit = page; update(); }, 80);
  });
  find.form.hidden = false;
  find.form.addEventListener('submit', (event) => { event.preventDefault(); update(); });
  more.addEventListener('click', () => { limit = Infinity; update(); });

  const keyOf = (row, column, kind) => {
    const cell = row.element.cells[column];
    if (kind === 'text') return cell.textContent.toLowerCase();
    return cell.dataset.v === undefined ? null : +cell.dataset.v;
  };
  const text = new Intl.Collator(undefined, {numeric: true});
  const sort = (head, column) => {
    const down = head.getAttribute('aria-sort') === 'ascending';
    all('thead th', table).forEach((other) => other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const kind = head.dataset.sort;
    rows.forEach((row) => { row.key = keyOf(row, column, kind); });
    const empty = (key) => key === null || key === '';
    rows.sort((a, b) => {
      if (empty(a.key) || empty(b.key)) return empty(a.key) - empty(b.key) || a.index - b.index;  // blanks last
      const order = kind === 'text' ? text.compare(a.key, b.key) : a.key - b.key;
      return (down ? -order : order) || a.index - b.index;
    });
    const fragment = document.createDocumentFragment();
    rows.forEach((row) => fragment.append(row.element));
    body.append(fragment);
    update();
  };
  all('thead th', table).forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener('click', () => sort(head, column));
  });
  // A link to a row that is not on the page brings it there.
  const reveal = () => {
    const target = /^#g\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (!target || !target.hidden) return;
    find.value = '';
    limit = Infinity;
    update();
    target.scrollIntoView({block: 'center'});
  };
  addEventListener('hashchange', reveal);
  update();
  reveal();
})();
