#include "kube/resources.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "kube/pod.h"

namespace cadre::kube {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

// Wide enough for 19 digits times 2^60.
__extension__ using Wide = unsigned __int128;
constexpr std::size_t kDigitsKept = 19;

// digits * 2^binary_exponent * 10^decimal_exponent; `more` when non-zero digits beyond kDigitsKept were cut
// off.
struct Scanned {
  bool negative = false;
  std::uint64_t digits = 0;
  bool more = false;
  int decimal_exponent = 0;
  int binary_exponent = 0;
};

struct Suffix {
  std::string_view text;
  int decimal_exponent;
  int binary_exponent;
};

constexpr std::array<Suffix, 16> kSuffixes = {{
    {"n", -9, 0},
    {"u", -6, 0},
    {"m", -3, 0},
    {"", 0, 0},
    {"k", 3, 0},
    {"M", 6, 0},
    {"G", 9, 0},
    {"T", 12, 0},
    {"P", 15, 0},
    {"E", 18, 0},
    {"Ki", 0, 10},
    {"Mi", 0, 20},
    {"Gi", 0, 30},
    {"Ti", 0, 40},
    {"Pi", 0, 50},
    {"Ei", 0, 60},
}};

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// Takes one digit; `after_point` tells on which side of the decimal point it stands.
void TakeDigit(char c, bool after_point, std::size_t& significant, Scanned& out) {
  if (significant == 0 && c == '0') {
    if (after_point) --out.decimal_exponent;
    return;
  }
  if (significant < kDigitsKept) {
    out.digits = out.digits * 10 + static_cast<std::uint64_t>(c - '0');
    ++significant;
    if (after_point) --out.decimal_exponent;
    return;
  }
  if (c != '0') out.more = true;
  if (!after_point) ++out.decimal_exponent;
}

// "e3", "E-2": an exponent. Bounded, because anything beyond saturates or rounds to one anyway.
std::optional<int> ParseExponent(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(1);
  const bool negative = text[0] == '-';
  if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
  if (text.empty() || !std::ranges::all_of(text, IsDigit)) return std::nullopt;
  constexpr int kBeyondAnyAmount = 10'000;
  int value = 0;
  for (const char c : text)
    value = std::min(value * 10 + (c - '0'), kBeyondAnyAmount);
  return negative ? -value : value;
}

bool ParseSuffix(std::string_view text, Scanned& out) {
  const auto suffix = std::ranges::find(kSuffixes, text, &Suffix::text);
  if (suffix != kSuffixes.end()) {
    out.decimal_exponent += suffix->decimal_exponent;
    out.binary_exponent = suffix->binary_exponent;
    return true;
  }
  const std::optional<int> exponent = ParseExponent(text);
  if (exponent) out.decimal_exponent += *exponent;
  return exponent.has_value();
}

std::optional<Scanned> Scan(std::string_view text) {
  constexpr std::size_t kLongest = 1000;  // keeps decimal_exponent within an int; Kubernetes' amounts need 20
  if (text.size() > kLongest) return std::nullopt;
  Scanned out;
  std::size_t at = 0;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) out.negative = text[at++] == '-';
  std::size_t digits = 0;
  std::size_t significant = 0;
  bool after_point = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !after_point) {
      after_point = true;
    } else if (IsDigit(text[at])) {
      TakeDigit(text[at], after_point, significant, out);
      ++digits;
    } else {
      break;
    }
  }
  if (digits == 0 || !ParseSuffix(text.substr(at), out)) return std::nullopt;
  return out;
}

// The amount in units of 10^-extra_exponent, away from zero to a whole number, saturating.
std::int64_t RoundUp(const Scanned& scanned, int extra_exponent) {
  if (scanned.digits == 0) return 0;
  Wide amount = static_cast<Wide>(scanned.digits) << scanned.binary_exponent;
  bool rest = scanned.more;
  int exponent = scanned.decimal_exponent + extra_exponent;
  for (; exponent > 0 && amount <= static_cast<Wide>(kMax); --exponent)
    amount *= 10;
  for (; exponent < 0 && amount > 0; ++exponent) {
    rest = rest || amount % 10 != 0;
    amount /= 10;
  }
  if (rest) ++amount;
  if (amount > static_cast<Wide>(kMax)) return scanned.negative ? -kMax : kMax;
  const auto value = static_cast<std::int64_t>(amount);
  return scanned.negative ? -value : value;
}

bool IsBytes(std::string_view resource) {
  return resource == kMemory || resource == kEphemeralStorage || resource.starts_with("hugepages-");
}

// Up to `decimals` digits after the point, without trailing zeros.
std::string Trimmed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0')
    text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::int64_t SaturatingAdd(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return b > 0 ? kMax : -kMax;
  return sum;
}

void Add(ResourceList& to, const ResourceList& amounts) {
  for (const auto& [resource, amount] : amounts) {
    std::int64_t& sum = to[resource];
    sum = SaturatingAdd(sum, amount);
  }
}

void Maximum(ResourceList& to, const ResourceList& amounts) {
  for (const auto& [resource, amount] : amounts) {
    const auto [entry, added] = to.emplace(resource, amount);
    if (!added) entry->second = std::max(entry->second, amount);
  }
}

bool IsPodLevelResource(std::string_view resource) {
  return resource == kCpu || resource == kMemory || resource.starts_with("hugepages-");
}

void CopyMissing(const ResourceList& from, ResourceList& to) {
  for (const auto& [resource, amount] : from)
    to.emplace(resource, amount);
}

// The largest of what the spec asks for, what the node has set aside and what runs. An infeasible resize
// leaves the spec's size out: the node has said no to it.
ResourceList LargestOf(const ResourceList& spec, const ResourceList& allocated, const ResourceList& actual,
                       bool infeasible) {
  if (allocated.empty() && actual.empty()) return spec;  // the node has not reported yet
  ResourceList largest = actual;
  Maximum(largest, allocated);
  if (!infeasible) Maximum(largest, spec);
  return largest;
}

// How much each container counts for is a function of it and of whether it runs on (then it can be resized;
// an init container that runs once cannot), so that one rule of adding up serves requests, limits and
// resizes.
template <class AmountsOf>
ResourceList AddUpContainers(const PodSpec& spec, const AmountsOf& amounts_of) {
  ResourceList running;
  for (const Container& container : spec.containers)
    Add(running, amounts_of(container, true));
  ResourceList sidecars;  // those started so far
  ResourceList starting;  // the most that any init container needs while it runs
  for (const Container& container : spec.init_containers) {
    ResourceList amounts = amounts_of(container, container.restart_always);
    if (container.restart_always) {
      Add(running, amounts);
      Add(sidecars, amounts);
      Maximum(starting, sidecars);
    } else {
      Add(amounts, sidecars);
      Maximum(starting, amounts);
    }
  }
  Maximum(running, starting);
  return running;
}

// `pod_level` are the amounts that count for the resources which the spec has pod-level requests for.
void AddPodLevelAndOverhead(const PodSpec& spec, const ResourceList& pod_level, ResourceList& sum) {
  for (const auto& [resource, spec_amount] : spec.pod_requests) {
    if (!IsPodLevelResource(resource)) continue;
    const auto amount = pod_level.find(resource);
    sum.insert_or_assign(resource, amount == pod_level.end() ? 0 : amount->second);
  }
  Add(sum, spec.overhead);
  sum.insert_or_assign(std::string(kPods), 1);
}

const ContainerStatus* StatusOf(const Pod& pod, const Container& container) {
  const auto found = std::ranges::find(pod.status.container_statuses, container.name, &ContainerStatus::name);
  return found == pod.status.container_statuses.end() ? nullptr : &*found;
}

}  // namespace

Result<Quantity> ParseQuantity(std::string_view text) {
  const std::optional<Scanned> scanned = Scan(text);
  if (!scanned) {
    return Err("\"{}\" is not a quantity, expected e.g. 500m, 2 or 64Gi", text);
  }
  return Quantity{.milli = RoundUp(*scanned, 3), .value = RoundUp(*scanned, 0)};
}

Result<std::int64_t> ParseAmount(std::string_view resource, std::string_view text) {
  const Result<Quantity> quantity = ParseQuantity(text);
  if (!quantity) return std::unexpected(quantity.error());
  // Devices are whole, as the API server has it. What is too large for thousandths is whole anyway.
  const bool is_part =
      quantity->milli % 1000 != 0 && quantity->milli != std::numeric_limits<std::int64_t>::max();
  if (is_part && IsExtended(resource)) return Err("\"{}\" of {}: must be a whole number", text, resource);
  return resource == kCpu ? quantity->milli : quantity->value;
}

std::string FormatAmount(std::string_view resource, std::int64_t amount) {
  if (resource == kCpu) return fmt::format("{} CPU", Trimmed(static_cast<double>(amount) / 1000, 3));
  if (IsBytes(resource)) return fmt::format("{} {}", FormatBytes(amount), resource);
  return fmt::format("{} {}", amount, resource);
}

std::string FormatAmounts(const ResourceList& list) {
  std::vector<std::string> parts;
  for (const bool extended : {false, true}) {  // what every node has comes first
    for (const auto& [resource, amount] : list) {
      if (amount == 0 || resource == kPods || (resource.find('/') != std::string::npos) != extended) continue;
      parts.push_back(FormatAmount(resource, amount));
    }
  }
  if (parts.empty()) return "nothing";
  std::string text = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i)
    text += (i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

void DefaultRequests(PodSpec& spec) {
  for (Container& container : spec.containers)
    CopyMissing(container.limits, container.requests);
  for (Container& container : spec.init_containers)
    CopyMissing(container.limits, container.requests);
  if (spec.pod_limits.empty() && spec.pod_requests.empty()) return;

  const ResourceList limits = AddUpContainers(spec, [](const Container& c, bool) { return c.limits; });
  for (const auto& [resource, amount] : limits) {
    if (resource.starts_with("hugepages-") && !spec.pod_requests.contains(resource)) {
      spec.pod_limits.emplace(resource, amount);
    }
  }
  if (spec.pod_limits.empty()) return;
  // Huge pages are never overcommitted, so their request follows the pod's limit, not the containers'
  // requests.
  const ResourceList requests = AddUpContainers(spec, [](const Container& c, bool) { return c.requests; });
  for (const auto& [resource, amount] : requests) {
    if (resource == kCpu || resource == kMemory) spec.pod_requests.emplace(resource, amount);
  }
  for (const auto& [resource, amount] : spec.pod_limits) {
    if (IsPodLevelResource(resource)) spec.pod_requests.emplace(resource, amount);
  }
}

ResourceList PodRequests(const PodSpec& spec) {
  ResourceList sum =
      AddUpContainers(spec, [](const Container& container, bool) { return container.requests; });
  AddPodLevelAndOverhead(spec, spec.pod_requests, sum);
  return sum;
}

ResourceList PodRequests(const Pod& pod) {
  const bool infeasible = pod.status.resize_infeasible;
  ResourceList sum = AddUpContainers(pod.spec, [&](const Container& container, bool resizable) {
    const ContainerStatus* status = resizable ? StatusOf(pod, container) : nullptr;
    if (status == nullptr) return container.requests;
    return LargestOf(container.requests, status->allocated, status->actual, infeasible);
  });
  AddPodLevelAndOverhead(
      pod.spec, LargestOf(pod.spec.pod_requests, pod.status.pod_allocated, pod.status.pod_actual, infeasible),
      sum);
  return sum;
}

}  // namespace cadre::kube
