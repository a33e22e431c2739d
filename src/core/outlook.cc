#include "core/outlook.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/claiming.h"
#include "core/outlook_text.h"

namespace cadre::core {
namespace {

// Heads in a row that could not start even on emptied nodes; others are not held up by such.
constexpr int kMostHopeless = 8;

void Subtract(std::map<std::pair<model::NodeId, model::ResourceId>, std::int64_t>& spare,
              const std::vector<std::pair<model::NodeId, model::Amount>>& demand) {
  for (const auto& [node, amount] : demand) {
    const auto found = spare.find({node, amount.resource});
    if (found != spare.end()) found->second -= amount.amount;
  }
}

}  // namespace

Outlook::Outlook(const queue::Policy& policy, match::Finder& finder, State& state, queue::PendingQueue& queue)
    : policy_(policy), finder_(finder), state_(state), queue_(queue) {}

// --- what runs, and until when

Time Outlook::StartOf(const MemberRef& member, const Run* before, Time now) const {
  const kube::PodStatus& status = state_.cluster.pod(member.pod).pod->status;
  if (status.start_time) return *status.start_time;
  const kube::Condition* scheduled = kube::FindTrue(status.conditions, "PodScheduled");
  if (scheduled != nullptr && scheduled->last_transition_time) return *scheduled->last_transition_time;
  return before != nullptr ? std::min(before->start, now) : now;
}

std::optional<Time> Outlook::EndOf(const model::GroupSpec& spec, Time start) {
  std::optional<Time> end = spec.ends_by;
  if (spec.max_duration) end = std::min(end.value_or(Time::max()), start + *spec.max_duration);
  return end;
}

queue::Ticket Outlook::TicketOf(const model::GroupKey& key, const Group& group) const {
  return {.urgent = false, .priority = state_.PriorityOf(group), .created = group.spec.created, .key = key};
}

void Outlook::Update(const model::GroupKey& key, const Group& group, Time now) {
  const auto known = runs_.find(key);
  const Run* before = known == runs_.end() ? nullptr : &known->second;
  std::optional<Time> start;
  for (const auto& [uid, member] : group.members) {
    if (state_.IsPlaced(member)) start = std::max(start.value_or(Time::min()), StartOf(member, before, now));
  }
  if (!start) {
    Forget(key);
    return;
  }
  const Run run{*start, EndOf(group.spec, *start)};
  if (before != nullptr && *before == run) return;
  // What is new took room, and is known by that.
  if (before != nullptr && before->end != run.end) ++version_;
  if (before != nullptr && before->end) ends_.erase({*before->end, key});
  if (run.end) ends_.emplace(*run.end, key);
  runs_.insert_or_assign(key, run);
  started_.insert_or_assign(key, Started{TicketOf(key, group), run.start});
}

void Outlook::Forget(const model::GroupKey& key) {
  const auto known = runs_.find(key);
  if (known == runs_.end()) return;
  if (known->second.end) ends_.erase({*known->second.end, key});
  runs_.erase(known);
}

void Outlook::Advance(Time now) {
  searches_before_step_ = searches_;
  for (const State::Ended& ended : state_.TakeEnded()) {
    const auto known = started_.find(ended.group);
    if (known != started_.end() && known->second.at >= ended.started) continue;
    started_.insert_or_assign(
        ended.group,
        Started{{.urgent = false, .priority = ended.priority, .created = ended.created, .key = ended.group},
                ended.started});
  }
  if (advanced_to_ + policy_.patience / 8 <= now) {
    std::erase_if(started_, [&](const auto& one) { return one.second.at + policy_.patience <= now; });
    advanced_to_ = now;
  }
  if (reservation_ && reservation_->valid_until <= now) {
    reservation_.reset();
    ++version_;
  }
  NoteHead();
}

void Outlook::NoteHead() {
  const model::GroupKey* head = queue_.Head();
  if (head == nullptr ? !head_ : head_ == *head) return;
  head_ = head == nullptr ? std::nullopt : std::optional(*head);
  ++version_;
}

std::optional<Time> Outlook::NextWake(Time now) const {
  if (!reservation_ || !head_ || !reservation_->holds) return std::nullopt;
  const Time at = reservation_->valid_until;
  return at == Time::max() || at <= now ? std::nullopt : std::optional(at);
}

// Are its claims over with it? Those of a stage are not while another is still to end.
bool Outlook::EndsClaims(const model::GroupSpec& spec) const {
  if (!model::WantsOwnDomain(spec)) return false;
  const model::GroupKey whole = model::WholeOf(spec.key);
  if (whole == spec.key) return true;
  const model::GroupSpec all = state_.catalog.Describe(whole, {});
  return std::ranges::all_of(all.units, [&](const model::UnitSpec& unit) {
    return (unit.exists && unit.expected == 0) || model::FindUnit(spec, unit.name) != nullptr;
  });
}

std::vector<queue::Departure> Outlook::Departures(Time now) const {
  std::vector<queue::Departure> departures;
  const auto add = [&](Time at, std::string who) -> queue::Departure* {
    const Time believed_until = at + policy_.overrun_grace;
    if (believed_until <= now) return nullptr;
    return &departures.emplace_back(queue::Departure{.at = std::max(at, now),
                                                     .believed_until = believed_until,
                                                     .who = std::move(who),
                                                     .pods = {},
                                                     .reservations = {},
                                                     .tenants = {}});
  };
  for (auto end = ends_.lower_bound({now - policy_.overrun_grace, {}}); end != ends_.end(); ++end) {
    const auto group = state_.groups().find(end->second);
    if (group == state_.groups().end()) continue;
    queue::Departure* departure = add(end->first, model::ToString(end->second));
    if (departure == nullptr) continue;
    for (const auto& [uid, member] : group->second.members)
      departure->pods.push_back(member.pod);
    departure->reservations.assign(group->second.reserved.begin(), group->second.reserved.end());
    if (EndsClaims(group->second.spec)) departure->tenants = model::TenantGroupOf(end->second);
  }
  for (const std::string& uid : state_.terminating()) {
    const model::PodId id = state_.cluster.FindPod(uid);
    const kube::ObjectMeta& meta = state_.cluster.pod(id).pod->metadata;
    if (queue::Departure* departure = add(*meta.deletion_timestamp, "Pod " + kube::KeyOf(meta)))
      departure->pods.push_back(id);
  }
  queue::Sort(departures);
  return departures;
}

// As the head: since its pods are there and nobody before it was started any more.
Time Outlook::WaitsSince(const model::GroupKey& key, const Group& group) const {
  std::optional<Time> since;
  for (const auto& [uid, member] : group.members) {
    const auto created = state_.cluster.pod(member.pod).pod->metadata.creation_timestamp;
    if (created) since = std::min(since.value_or(*created), *created);
  }
  Time waits = since.value_or(group.spec.created);
  const queue::Ticket ticket = TicketOf(key, group);
  for (const auto& [other, started] : started_) {
    if (queue::PendingQueue::ComesBefore(started.ticket, ticket)) waits = std::max(waits, started.at);
  }
  return waits;
}

// --- the head's place

bool Outlook::IsCurrent(const Reservation& reservation, Time now) const {
  return head_ && reservation.head == *head_ && reservation.room_version == state_.cluster.room_version() &&
         reservation.pods_version == state_.cluster.pods_version() && reservation.version == version_ &&
         reservation.valid_until > now;
}

Outlook::Reservation* Outlook::Current(Time now) {
  for (int i = 0; i < kMostHopeless; ++i) {
    NoteHead();
    if (!head_) return nullptr;
    if (reservation_ && IsCurrent(*reservation_, now)) return &*reservation_;
    reservation_ = Reserve(*head_, now);
    if (reservation_->nearest) chosen_.emplace(*head_, *reservation_->nearest);
    if (reservation_->at || reservation_->nearest) return &*reservation_;
    queue_.Unblock(reservation_->head);
  }
  return nullptr;
}

Outlook::Reservation Outlook::Reserve(const model::GroupKey& head, Time now) {
  const Group& group = *state_.Find(head);
  Reservation reservation;
  reservation.head = head;
  reservation.ask = AskToStart(state_, group);
  reservation.delicate = IsDelicate(reservation.ask, group.spec);
  std::vector<queue::Departure> departures = Departures(now);
  const auto foresight =
      queue::Foresee(state_.cluster, reservation.ask.request, departures, finder_, searches_);
  if (foresight) {
    departures.resize(foresight->departures);
    reservation.at = foresight->at;
    reservation.because = departures.back().who;
    for (const queue::Departure& departure : departures)
      reservation.valid_until = std::min(reservation.valid_until, departure.believed_until);
    reservation.gone = std::move(departures);
    reservation.placement = foresight->placement;
    reservation.holds = true;
  } else {
    KeepNearest(group, now, reservation);
  }
  SetSpare(reservation);
  reservation.room_version = state_.cluster.room_version();
  reservation.pods_version = state_.cluster.pods_version();
  reservation.version = version_;
  return reservation;
}

// Nobody knows when: it holds on to the nodes nearest to being free. The ones chosen before are kept as long
// as no others are nearer, or each change would throw away what was won.
void Outlook::KeepNearest(const Group& head, Time now, Reservation& reservation) {
  const match::Request& request = reservation.ask.request;
  std::optional<queue::Nearest> nearest = queue::FindNearest(state_.cluster, request, finder_, searches_);
  if (nearest && chosen_ && chosen_->first == reservation.head) {
    const auto lacking = queue::CountLacking(state_.cluster, request, chosen_->second.placement);
    if (lacking && *lacking <= nearest->lacking &&
        queue::CouldHold(state_.cluster, request, chosen_->second.placement, finder_, searches_)) {
      nearest = queue::Nearest{chosen_->second.placement, *lacking};
    }
  }
  if (!nearest) return;
  reservation.nearest = nearest;
  reservation.placement = nearest->placement;
  std::map<std::string, queue::Departure> by_tenant;
  std::set<model::NodeId> nodes;
  for (const model::NodeId node : nearest->placement.nodes) {
    if (!node.Valid() || !nodes.insert(node).second) continue;
    for (const model::PodId pod : state_.cluster.node(node).pods) {
      const model::PodEntry& entry = state_.cluster.pod(pod);
      if (model::IsPermanent(*entry.pod)) continue;
      const std::string tenants =
          entry.tenant.Valid() ? state_.cluster.tenant(entry.tenant).group : std::string{};
      by_tenant[tenants].pods.push_back(pod);
    }
  }
  for (auto& [tenants, departure] : by_tenant) {
    departure.tenants = tenants;
    reservation.gone.push_back(std::move(departure));
  }
  reservation.waits_since = WaitsSince(reservation.head, head);
  const Time patient_until = reservation.waits_since + policy_.patience;
  reservation.holds = patient_until <= now || IdleShare(reservation) <= policy_.idle_share;
  if (patient_until > now) reservation.valid_until = patient_until;
}

// What others may take on the head's nodes: beside it when it is there, or now where nobody knows when that
// is.
void Outlook::SetSpare(Reservation& reservation) const {
  reservation.spare.clear();
  const auto demand = queue::DemandOf(state_.cluster, reservation.ask.request, reservation.placement);
  model::Hypothesis then(state_.cluster);
  if (reservation.at) queue::Leave(then, reservation.gone);
  for (const auto& [node, amount] : demand) {
    const std::int64_t left = then.cluster().node(node).Free(amount.resource) - amount.amount;
    reservation.spare[{node, amount.resource}] = std::max<std::int64_t>(0, left);
  }
}

// The largest share of all there is of a resource that would be kept free.
double Outlook::IdleShare(const Reservation& reservation) const {
  std::map<model::ResourceId, std::int64_t> kept;
  for (const auto& [node, amount] :
       queue::DemandOf(state_.cluster, reservation.ask.request, reservation.placement)) {
    if (amount.resource == model::ResourceNames::kPods) continue;
    const std::int64_t free = std::max<std::int64_t>(0, state_.cluster.node(node).Free(amount.resource));
    kept[amount.resource] += std::min(free, amount.amount);
  }
  double share = 0;
  for (const auto& [resource, amount] : kept) {
    std::int64_t all = 0;
    for (const model::NodeEntry& node : state_.cluster.nodes())
      all += model::NodeEntry::At(node.allocatable, resource);
    if (all > 0) share = std::max(share, static_cast<double>(amount) / static_cast<double>(all));
  }
  return share;
}

bool Outlook::IsDelicate(const Ask& ask, const model::GroupSpec& spec) const {
  return model::WantsOwnDomain(spec) ||
         std::ranges::any_of(queue::MembersOf(ask.request), [&](const match::Member* member) {
           const model::Shape& shape = state_.cluster.shape(member->shape);
           return shape.HasTerms() || !shape.host_ports.empty();
         });
}

// --- may another pass?

Outlook::Verdict Outlook::Judge(const Group& group, const Ask& ask, match::Placement& placement, Time now) {
  Reservation* reservation = Current(now);
  is_behind_ = reservation != nullptr && queue_.IsBehindHead(group.spec.key);
  if (!is_behind_ || !reservation->holds) return Verdict::kMayStart;
  const std::optional<Time> end = EndOf(group.spec, now);
  if (reservation->at && end && *end <= *reservation->at) return Verdict::kMayStart;
  if (!ask.signature.empty() && reservation->refused.contains(ask.signature)) return Verdict::kMustWait;
  if (searches_ - searches_before_step_ >= policy_.most_searches) return Verdict::kNotNow;

  const bool delicate = reservation->delicate || IsDelicate(ask, group.spec);
  if (!delicate && FitsBeside(*reservation, ask, placement)) return Verdict::kMayStart;
  if (reservation->at && HeadStillFits(*reservation, group, ask, placement)) return Verdict::kMayStart;
  if (auto beside = PlaceBeside(*reservation, ask)) {
    if (!delicate || HeadStillFits(*reservation, group, ask, *beside)) {
      placement = *std::move(beside);
      return Verdict::kMayStart;
    }
  }
  if (!ask.signature.empty()) reservation->refused.insert(ask.signature);
  return Verdict::kMustWait;
}

bool Outlook::FitsBeside(const Reservation& reservation, const Ask& ask,
                         const match::Placement& placement) const {
  const auto demand = queue::DemandOf(state_.cluster, ask.request, placement);
  return std::ranges::all_of(demand, [&](const auto& one) {
    const auto spare = reservation.spare.find({one.first, one.second.resource});
    return spare == reservation.spare.end() || one.second.amount <= spare->second;
  });
}

// With the group where its placement says, when all have left who are to leave; the head may go elsewhere.
bool Outlook::HeadStillFits(Reservation& reservation, const Group& group, const Ask& ask,
                            const match::Placement& placement) {
  std::optional<match::Placement> head;
  {
    model::Hypothesis then(state_.cluster);
    queue::Leave(then, reservation.gone);
    const std::vector<const match::Member*> members = queue::MembersOf(ask.request);
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i]->fixed || !placement.nodes[i].Valid()) continue;
      const model::TenantId tenant = state_.TenantOf(group.spec, ask.slots[i].unit);
      then.Come({members[i]->shape, placement.nodes[i], members[i]->labels, tenant});
    }
    AddClaims(then, group, ask, placement);
    ++searches_;
    head = finder_.Place(reservation.ask.request);
  }
  if (!head) return false;
  if (!reservation.at) return true;  // its nodes were chosen, and stay so
  reservation.placement = *std::move(head);
  SetSpare(reservation);
  return true;
}

// A place for the group on what the head does not need.
std::optional<match::Placement> Outlook::PlaceBeside(const Reservation& reservation, const Ask& ask) {
  model::Hypothesis without(state_.cluster);
  for (const auto& [spot, spare] : reservation.spare) {
    const std::int64_t free = without.cluster().node(spot.first).Free(spot.second);
    if (free > spare) without.Withhold(spot.first, spot.second, free - spare);
  }
  if (const Group* head = state_.Find(reservation.head))
    AddClaims(without, *head, reservation.ask, reservation.placement);
  ++searches_;
  return finder_.Place(ask.request);
}

void Outlook::AddClaims(model::Hypothesis& hypothesis, const Group& group, const Ask& ask,
                        const match::Placement& placement) {
  for (const ClaimEntry& entry : ClaimsOf(hypothesis.cluster(), group.spec, ask, placement))
    hypothesis.SetClaim(ClaimOf(group.spec, entry));
}

void Outlook::Accepted(const Group& group, const Ask& ask, const match::Placement& placement, Time now) {
  // The head that it was behind could not start on whatever nodes: it takes what it can get.
  if (!is_behind_) reservation_.reset();
  if (!reservation_) return;
  const std::optional<Time> end = EndOf(group.spec, now);
  if (reservation_->at && end && *end <= *reservation_->at) {
    queue::Departure departure{
        .at = *end, .who = model::ToString(group.spec.key), .pods = {}, .reservations = {}, .tenants = {}};
    for (const Slot& slot : ask.slots) {
      if (slot.pod.Valid()) departure.pods.push_back(slot.pod);
    }
    departure.reservations.assign(group.reserved.begin(), group.reserved.end());
    if (EndsClaims(group.spec)) departure.tenants = model::TenantGroupOf(group.spec.key);
    reservation_->gone.push_back(std::move(departure));
  } else {
    Subtract(reservation_->spare, queue::DemandOf(state_.cluster, ask.request, placement));
  }
  // It was made with this in view.
  reservation_->pods_version = state_.cluster.pods_version();
}

// --- for people

std::string Outlook::WhyHeldBack(const Group& group, Time now) {
  const Reservation* reservation = Current(now);
  if (reservation == nullptr) return "would fit now";
  const std::string head = model::ToString(reservation->head);
  if (!reservation->at) {
    return fmt::format(
        "would fit now, but {} is ahead of it and has waited {} for room: what is free on {} is kept for it",
        head, FormatDuration(now - reservation->waits_since),
        NodesText(state_.cluster, reservation->placement));
  }
  const auto& longest = group.spec.max_duration;
  return fmt::format(
      "would fit now, but would delay {}, which is ahead of it and starts at the latest {}; {}", head,
      ClockText(*reservation->at, now),
      longest ? fmt::format("it may run for {}", FormatDuration(*longest))
              : "nothing says how long it runs (activeDeadlineSeconds or cadre.dev/max-duration)");
}

Outlook::HeadView Outlook::DescribeHead(Time now) {
  const model::GroupKey* head = queue_.Head();
  if (head == nullptr) return {};
  const bool current = reservation_ && IsCurrent(*reservation_, now);
  const Reservation reservation = current ? *reservation_ : Reserve(*head, now);
  if (reservation.at) {
    const std::string where = DomainText(state_.cluster, reservation.ask.request, reservation.placement);
    if (*reservation.at <= now)
      return {now, fmt::format("starts as soon as {} ends, which is due{}", reservation.because, where)};
    return {reservation.at, fmt::format("starts at the latest {} when {} ends{}",
                                        ClockText(*reservation.at, now), reservation.because, where)};
  }
  if (!reservation.nearest)
    return {std::nullopt, "nobody knows when: what it needs does not come with room alone"};
  const std::string nodes = NodesText(state_.cluster, reservation.placement);
  if (reservation.holds) {
    return {
        std::nullopt,
        fmt::format(
            "nobody knows when, as what runs does not say for how long; what is free on {} is kept for it",
            nodes)};
  }
  return {std::nullopt, fmt::format("nobody knows when, as what runs does not say for how long; from {} on, "
                                    "what is free on {} is kept for it",
                                    ClockText(reservation.waits_since + policy_.patience, now), nodes)};
}

}  // namespace cadre::core
