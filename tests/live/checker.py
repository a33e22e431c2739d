"""What must hold of a cluster at any time, judged from API objects alone."""
import collections
import re

SUFFIXES = {"": 1, "m": 0.001, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30,
            "Ti": 2**40}


def amount(quantity):
    number, suffix = re.fullmatch(r"([0-9.]+)([A-Za-z]*)", str(quantity)).groups()
    return float(number) * SUFFIXES[suffix]


def holds_node(pod):
    return bool(pod["spec"].get("nodeName")) and pod["status"].get("phase") not in ("Succeeded", "Failed")


def is_sidecar(container):
    return container.get("restartPolicy") == "Always"


def requests_of(container):
    return collections.Counter({name: amount(value) for name, value in
                                container.get("resources", {}).get("requests", {}).items()})


def larger(one, other):
    return collections.Counter({name: max(one[name], other[name]) for name in set(one) | set(other)})


def pod_requests(pod):
    """As the kubelet adds up (KEP-753): containers and sidecars run together, each init container beside the sidecars
    that were started before it."""
    running = sum((requests_of(c) for c in pod["spec"]["containers"]), collections.Counter())
    sidecars = collections.Counter()
    starting = collections.Counter()
    for container in pod["spec"].get("initContainers", []):
        if is_sidecar(container):
            sidecars += requests_of(container)
            starting = larger(starting, sidecars)
        else:
            starting = larger(starting, sidecars + requests_of(container))
    total = larger(running + sidecars, starting)
    total.update({name: amount(value) for name, value in pod["spec"].get("overhead", {}).items()})
    total["pods"] = 1
    return total


def group_of(pod):
    owners = [o for o in pod["metadata"].get("ownerReferences", []) if o.get("controller")]
    return owners[0]["name"] if owners else None


def over_committed(nodes, pods):
    """One sentence for each resource of which a node has given out more than it has."""
    used = collections.defaultdict(collections.Counter)
    for pod in filter(holds_node, pods):
        used[pod["spec"]["nodeName"]].update(pod_requests(pod))
    offered = {n["metadata"]["name"]: n["status"].get("allocatable", {}) for n in nodes}
    return [f"node {node} has given out {total:g} of {offered[node].get(name, 0)} {name}"
            for node, amounts in used.items() if node in offered for name, total in amounts.items()
            if total > amount(offered[node].get(name, 0)) + 1e-9]


def half_placed(jobs, pods):
    """Gangs of which some members are placed and fewer than all, where none has ended or been lost."""
    wanted = {j["metadata"]["name"]: j["spec"]["parallelism"] for j in jobs}
    placed = collections.Counter(group_of(p) for p in pods if p["spec"].get("nodeName"))
    ended = {group_of(p) for p in pods
             if p["status"].get("phase") in ("Succeeded", "Failed") or p["metadata"].get("deletionTimestamp")}
    return [f"{placed[name]} of {members} members of {name} are placed" for name, members in wanted.items()
            if name not in ended and 0 < placed[name] < members]


def doubled(pods):
    """Completion indexes that two pods hold a node for at once."""
    slots = collections.Counter(
        (group_of(p), p["metadata"].get("annotations", {}).get("batch.kubernetes.io/job-completion-index"))
        for p in pods if holds_node(p) and not p["metadata"].get("deletionTimestamp"))
    return [f"index {index} of {group} runs {count} times" for (group, index), count in slots.items()
            if group and index is not None and count > 1]


def shared_domains(nodes, pods, key):
    """Domains of `key` with members of two gangs that each ask for one alone."""
    domain = {n["metadata"]["name"]: n["metadata"].get("labels", {}).get(key) for n in nodes}
    tenants = collections.defaultdict(set)
    for pod in filter(holds_node, pods):
        if pod["metadata"].get("annotations", {}).get("cadre.dev/exclusive-topology") == key:
            tenants[domain.get(pod["spec"]["nodeName"])].add(group_of(pod))
    return [f"{key} {name} is shared by {', '.join(sorted(groups))}" for name, groups in tenants.items()
            if len(groups) > 1]


def problems(api, key="rack", partly=True):
    """All of them. `partly`: gangs too; not while binds are under way."""
    nodes, jobs, pods = api.items("/api/v1/nodes"), api.jobs(), api.pods()
    found = over_committed(nodes, pods) + doubled(pods) + shared_domains(nodes, pods, key)
    return found + (half_placed(jobs, pods) if partly else [])
