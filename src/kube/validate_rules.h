// What the validators of the kinds share. Not for use outside of kube/validate*.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kube/job.h"
#include "kube/jobset.h"
#include "kube/pod.h"

namespace cadre::kube {

// Collects complaints about one object; each starts with its name and the field.
class Complaints {
 public:
  explicit Complaints(std::string object) : object_(std::move(object)) {}

  void Add(std::string_view field, std::string_view message) {
    complaints_.push_back(fmt::format("{}: {}: {}", object_, field, message));
  }
  // `field: "value" ...` when the value breaks `rule`, which holds what is wrong (none: nothing is).
  void AddIf(std::string_view field, std::string_view value, const std::optional<std::string>& rule);

  std::vector<std::string> Take() { return std::move(complaints_); }

 private:
  std::string object_;
  std::vector<std::string> complaints_;
};

// Each says what is wrong with a name, or nothing. Source: "Object Names and IDs", "Labels and Selectors" of
// the Kubernetes documentation.
std::optional<std::string> WrongAsDnsSubdomain(std::string_view name);   // RFC 1123, up to 253
std::optional<std::string> WrongAsDnsLabel(std::string_view name);       // RFC 1123, up to 63
std::optional<std::string> WrongAsDns1035Label(std::string_view name);   // must start with a letter
std::optional<std::string> WrongAsQualifiedName(std::string_view name);  // label keys, resource names
std::optional<std::string> WrongAsLabelValue(std::string_view value);
std::optional<std::string> WrongAsManagedBy(std::string_view value);

void ValidateLabels(const std::string& field, const StringMap& labels, Complaints& complaints);
void ValidateAnnotationKeys(const std::string& field, const StringMap& annotations, Complaints& complaints);
// `field` is the path of the spec: "spec", "spec.template.spec".
void ValidatePodSpec(const std::string& field, const PodSpec& spec, Complaints& complaints);
void ValidatePodPlacement(const std::string& field, const PodSpec& spec, Complaints& complaints);
void ValidateNotNegative(const std::string& field, std::optional<std::int64_t> value, Complaints& complaints);
void ValidateJobSpec(const std::string& field, const JobSpec& spec, Complaints& complaints);
void ValidateJob(const Job& job, Complaints& complaints);
void ValidateJobSet(const JobSet& jobset, Complaints& complaints);

}  // namespace cadre::kube
