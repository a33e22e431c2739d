#include "model/shape.h"

#include <fmt/format.h>

namespace cadre::model {
namespace {

// Every piece is written with its length, so that no two different shapes can run together into one text.
class Writer {
 public:
  void Text(std::string_view text) { out_ += fmt::format("{}:{};", text.size(), text); }
  void Number(std::int64_t number) { out_ += fmt::format("{};", number); }
  void Strings(const std::vector<std::string>& texts) {
    Number(static_cast<std::int64_t>(texts.size()));
    for (const std::string& text : texts)
      Text(text);
  }
  void Map(const kube::StringMap& map) {
    Number(static_cast<std::int64_t>(map.size()));
    for (const auto& [key, value] : map) {
      Text(key);
      Text(value);
    }
  }
  void Requirements(const std::vector<kube::Requirement>& requirements) {
    Number(static_cast<std::int64_t>(requirements.size()));
    for (const kube::Requirement& requirement : requirements) {
      Text(requirement.key);
      Number(static_cast<std::int64_t>(requirement.op));
      Strings(requirement.values);
    }
  }
  void Selector(const std::optional<kube::LabelSelector>& selector) {
    Number(selector.has_value() ? 1 : 0);
    if (selector) Requirements(selector->requirements);
  }
  void NodeSelector(const kube::NodeSelector& selector) {
    Number(static_cast<std::int64_t>(selector.terms.size()));
    for (const kube::NodeSelectorTerm& term : selector.terms) {
      Requirements(term.match_expressions);
      Requirements(term.match_fields);
    }
  }
  void PodTerms(const std::vector<kube::PodAffinityTerm>& terms) {
    Number(static_cast<std::int64_t>(terms.size()));
    for (const kube::PodAffinityTerm& term : terms) {
      Selector(term.label_selector);
      Selector(term.namespace_selector);
      Strings(term.namespaces);
      Text(term.topology_key);
      Strings(term.match_label_keys);
      Strings(term.mismatch_label_keys);
    }
  }
  void Spread(const std::vector<kube::TopologySpreadConstraint>& constraints) {
    Number(static_cast<std::int64_t>(constraints.size()));
    for (const kube::TopologySpreadConstraint& constraint : constraints) {
      Number(constraint.max_skew);
      Text(constraint.topology_key);
      Selector(constraint.label_selector);
      Number(constraint.min_domains.value_or(-1));
      Number(constraint.honor_node_affinity ? 1 : 0);
      Number(constraint.honor_node_taints ? 1 : 0);
      Strings(constraint.match_label_keys);
    }
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace

ResourceNames::ResourceNames() {
  for (const std::string_view name : {kube::kCpu, kube::kMemory, kube::kEphemeralStorage, kube::kPods})
    Intern(name);
}

ResourceId ResourceNames::Intern(std::string_view name) {
  const auto found = ids_.find(name);
  if (found != ids_.end()) return found->second;
  const ResourceId id(names_.size());
  names_.emplace_back(name);
  ids_.emplace(name, id);
  return id;
}

bool Collide(const HostPort& a, const HostPort& b) {
  constexpr std::string_view kAllAddresses = "0.0.0.0";
  return a.port == b.port && a.protocol == b.protocol &&
         (a.ip == b.ip || a.ip == kAllAddresses || b.ip == kAllAddresses);
}

std::string CanonicalText(const Shape& shape) {
  Writer writer;
  writer.Number(static_cast<std::int64_t>(shape.request_list.size()));
  for (const auto& [name, amount] : shape.request_list) {
    writer.Text(name);
    writer.Number(amount);
  }
  writer.Map(shape.scheduler_nodes);
  writer.Map(shape.node_selector);
  writer.Number(shape.node_affinity.has_value() ? 1 : 0);
  if (shape.node_affinity) writer.NodeSelector(*shape.node_affinity);
  writer.Number(static_cast<std::int64_t>(shape.volume_affinities.size()));
  for (const kube::NodeSelector& affinity : shape.volume_affinities)
    writer.NodeSelector(affinity);
  writer.Strings(shape.missing_claims);
  writer.Number(static_cast<std::int64_t>(shape.tolerations.size()));
  for (const kube::Toleration& toleration : shape.tolerations) {
    writer.Text(toleration.key);
    writer.Number(toleration.exists ? 1 : 0);
    writer.Text(toleration.value);
    writer.Text(toleration.effect);
    writer.Number(static_cast<std::int64_t>(toleration.comparison));
  }
  writer.Number(static_cast<std::int64_t>(shape.host_ports.size()));
  for (const HostPort& port : shape.host_ports) {
    writer.Number(port.port);
    writer.Text(port.protocol);
    writer.Text(port.ip);
  }
  writer.PodTerms(shape.affinity);
  writer.PodTerms(shape.anti_affinity);
  writer.Spread(shape.spread);
  writer.Text(
      shape.namespace_);  // terms match the pods of its own namespace; shapes are told apart by it throughout
  return writer.Take();
}

}  // namespace cadre::model
