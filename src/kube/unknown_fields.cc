#include "kube/unknown_fields.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace cadre::kube {
namespace {

struct Type;

struct Field {
  std::string_view name;
  const Type* type = nullptr;  // of it, or of each of its items; null: nothing below it is looked at
};

struct Type {
  std::string_view name;
  std::span<const Field> fields;
};

// ---- meta/v1

constexpr Field kObjectMetaFields[] = {{"name"},
                                       {"generateName"},
                                       {"namespace"},
                                       {"selfLink"},
                                       {"uid"},
                                       {"resourceVersion"},
                                       {"generation"},
                                       {"creationTimestamp"},
                                       {"deletionTimestamp"},
                                       {"deletionGracePeriodSeconds"},
                                       {"labels"},
                                       {"annotations"},
                                       {"ownerReferences"},
                                       {"finalizers"},
                                       {"managedFields"},
                                       {"clusterName"}};  // gone since 1.24, still in old dumps
constexpr Type kObjectMeta = {"ObjectMeta", kObjectMetaFields};

constexpr Field kRequirementFields[] = {{"key"}, {"operator"}, {"values"}};
constexpr Type kLabelSelectorRequirement = {"LabelSelectorRequirement", kRequirementFields};
constexpr Type kNodeSelectorRequirement = {"NodeSelectorRequirement", kRequirementFields};

constexpr Field kLabelSelectorFields[] = {{"matchLabels"}, {"matchExpressions", &kLabelSelectorRequirement}};
constexpr Type kLabelSelector = {"LabelSelector", kLabelSelectorFields};

// ---- core/v1: where a pod may run

constexpr Field kNodeSelectorTermFields[] = {{"matchExpressions", &kNodeSelectorRequirement},
                                             {"matchFields", &kNodeSelectorRequirement}};
constexpr Type kNodeSelectorTerm = {"NodeSelectorTerm", kNodeSelectorTermFields};
constexpr Field kNodeSelectorFields[] = {{"nodeSelectorTerms", &kNodeSelectorTerm}};
constexpr Type kNodeSelector = {"NodeSelector", kNodeSelectorFields};
constexpr Field kPreferredNodeFields[] = {{"weight"}, {"preference", &kNodeSelectorTerm}};
constexpr Type kPreferredNode = {"PreferredSchedulingTerm", kPreferredNodeFields};
constexpr Field kNodeAffinityFields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", &kNodeSelector},
    {"preferredDuringSchedulingIgnoredDuringExecution", &kPreferredNode}};
constexpr Type kNodeAffinity = {"NodeAffinity", kNodeAffinityFields};

constexpr Field kPodTermFields[] = {
    {"labelSelector", &kLabelSelector},     {"namespaces"},     {"topologyKey"},
    {"namespaceSelector", &kLabelSelector}, {"matchLabelKeys"}, {"mismatchLabelKeys"}};
constexpr Type kPodTerm = {"PodAffinityTerm", kPodTermFields};
constexpr Field kWeightedPodTermFields[] = {{"weight"}, {"podAffinityTerm", &kPodTerm}};
constexpr Type kWeightedPodTerm = {"WeightedPodAffinityTerm", kWeightedPodTermFields};
constexpr Field kPodAffinityFields[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", &kPodTerm},
    {"preferredDuringSchedulingIgnoredDuringExecution", &kWeightedPodTerm}};
constexpr Type kPodAffinity = {"PodAffinity", kPodAffinityFields};
constexpr Type kPodAntiAffinity = {"PodAntiAffinity", kPodAffinityFields};
constexpr Field kAffinityFields[] = {
    {"nodeAffinity", &kNodeAffinity}, {"podAffinity", &kPodAffinity}, {"podAntiAffinity", &kPodAntiAffinity}};
constexpr Type kAffinity = {"Affinity", kAffinityFields};

constexpr Field kTolerationFields[] = {{"key"}, {"operator"}, {"value"}, {"effect"}, {"tolerationSeconds"}};
constexpr Type kToleration = {"Toleration", kTolerationFields};

constexpr Field kSpreadFields[] = {
    {"maxSkew"},    {"topologyKey"},        {"whenUnsatisfiable"}, {"labelSelector", &kLabelSelector},
    {"minDomains"}, {"nodeAffinityPolicy"}, {"nodeTaintsPolicy"},  {"matchLabelKeys"}};
constexpr Type kSpread = {"TopologySpreadConstraint", kSpreadFields};

// ---- core/v1: what a pod needs

constexpr Field kResourcesFields[] = {{"limits"}, {"requests"}, {"claims"}};
constexpr Type kResources = {"ResourceRequirements", kResourcesFields};

constexpr Field kPortFields[] = {{"name"}, {"hostPort"}, {"containerPort"}, {"protocol"}, {"hostIP"}};
constexpr Type kPort = {"ContainerPort", kPortFields};

constexpr Field kContainerFields[] = {{"name"},
                                      {"image"},
                                      {"command"},
                                      {"args"},
                                      {"workingDir"},
                                      {"ports", &kPort},
                                      {"envFrom"},
                                      {"env"},
                                      {"resources", &kResources},
                                      {"resizePolicy"},
                                      {"restartPolicy"},
                                      {"restartPolicyRules"},
                                      {"volumeMounts"},
                                      {"volumeDevices"},
                                      {"livenessProbe"},
                                      {"readinessProbe"},
                                      {"startupProbe"},
                                      {"lifecycle"},
                                      {"terminationMessagePath"},
                                      {"terminationMessagePolicy"},
                                      {"imagePullPolicy"},
                                      {"securityContext"},
                                      {"stdin"},
                                      {"stdinOnce"},
                                      {"tty"}};
constexpr Type kContainer = {"Container", kContainerFields};

constexpr Field kSchedulingGroupFields[] = {{"podGroupName"}};
constexpr Type kSchedulingGroup = {"PodSchedulingGroup", kSchedulingGroupFields};

constexpr Field kPodSpecFields[] = {{"volumes"},
                                    {"initContainers", &kContainer},
                                    {"containers", &kContainer},
                                    {"ephemeralContainers"},
                                    {"restartPolicy"},
                                    {"terminationGracePeriodSeconds"},
                                    {"activeDeadlineSeconds"},
                                    {"dnsPolicy"},
                                    {"nodeSelector"},
                                    {"serviceAccountName"},
                                    {"serviceAccount"},
                                    {"automountServiceAccountToken"},
                                    {"nodeName"},
                                    {"hostNetwork"},
                                    {"hostPID"},
                                    {"hostIPC"},
                                    {"shareProcessNamespace"},
                                    {"securityContext"},
                                    {"imagePullSecrets"},
                                    {"hostname"},
                                    {"subdomain"},
                                    {"affinity", &kAffinity},
                                    {"schedulerName"},
                                    {"tolerations", &kToleration},
                                    {"hostAliases"},
                                    {"priorityClassName"},
                                    {"priority"},
                                    {"dnsConfig"},
                                    {"readinessGates"},
                                    {"runtimeClassName"},
                                    {"enableServiceLinks"},
                                    {"preemptionPolicy"},
                                    {"overhead"},
                                    {"topologySpreadConstraints", &kSpread},
                                    {"setHostnameAsFQDN"},
                                    {"os"},
                                    {"hostUsers"},
                                    {"schedulingGates"},
                                    {"resourceClaims"},
                                    {"resources", &kResources},
                                    {"hostnameOverride"},
                                    {"schedulingGroup", &kSchedulingGroup},
                                    {"workloadRef"}};  // 1.35 alone
constexpr Type kPodSpec = {"PodSpec", kPodSpecFields};

constexpr Field kPodFields[] = {
    {"apiVersion"}, {"kind"}, {"metadata", &kObjectMeta}, {"spec", &kPodSpec}, {"status"}};
constexpr Type kPod = {"Pod", kPodFields};
constexpr Field kPodTemplateFields[] = {{"metadata", &kObjectMeta}, {"spec", &kPodSpec}};
constexpr Type kPodTemplate = {"PodTemplateSpec", kPodTemplateFields};

// ---- core/v1: nodes

constexpr Field kTaintFields[] = {{"key"}, {"value"}, {"effect"}, {"timeAdded"}};
constexpr Type kTaint = {"Taint", kTaintFields};
constexpr Field kNodeSpecFields[] = {{"podCIDR"},         {"podCIDRs"},     {"providerID"}, {"unschedulable"},
                                     {"taints", &kTaint}, {"configSource"}, {"externalID"}};
constexpr Type kNodeSpec = {"NodeSpec", kNodeSpecFields};
constexpr Field kNodeFields[] = {
    {"apiVersion"}, {"kind"}, {"metadata", &kObjectMeta}, {"spec", &kNodeSpec}, {"status"}};
constexpr Type kNode = {"Node", kNodeFields};

// ---- batch/v1

constexpr Field kExitCodesFields[] = {{"containerName"}, {"operator"}, {"values"}};
constexpr Type kExitCodes = {"PodFailurePolicyOnExitCodesRequirement", kExitCodesFields};
constexpr Field kPodConditionFields[] = {{"type"}, {"status"}};
constexpr Type kPodCondition = {"PodFailurePolicyOnPodConditionsPattern", kPodConditionFields};
constexpr Field kPodFailureRuleFields[] = {
    {"action"}, {"onExitCodes", &kExitCodes}, {"onPodConditions", &kPodCondition}};
constexpr Type kPodFailureRule = {"PodFailurePolicyRule", kPodFailureRuleFields};
constexpr Field kPodFailurePolicyFields[] = {{"rules", &kPodFailureRule}};
constexpr Type kPodFailurePolicy = {"PodFailurePolicy", kPodFailurePolicyFields};
constexpr Field kJobSuccessRuleFields[] = {{"succeededIndexes"}, {"succeededCount"}};
constexpr Type kJobSuccessRule = {"SuccessPolicyRule", kJobSuccessRuleFields};
constexpr Field kJobSuccessPolicyFields[] = {{"rules", &kJobSuccessRule}};
constexpr Type kJobSuccessPolicy = {"SuccessPolicy", kJobSuccessPolicyFields};

constexpr Field kJobSpecFields[] = {{"parallelism"},
                                    {"completions"},
                                    {"activeDeadlineSeconds"},
                                    {"podFailurePolicy", &kPodFailurePolicy},
                                    {"successPolicy", &kJobSuccessPolicy},
                                    {"backoffLimit"},
                                    {"backoffLimitPerIndex"},
                                    {"maxFailedIndexes"},
                                    {"selector", &kLabelSelector},
                                    {"manualSelector"},
                                    {"template", &kPodTemplate},
                                    {"ttlSecondsAfterFinished"},
                                    {"completionMode"},
                                    {"suspend"},
                                    {"podReplacementPolicy"},
                                    {"managedBy"}};
constexpr Type kJobSpec = {"JobSpec", kJobSpecFields};
constexpr Field kJobFields[] = {
    {"apiVersion"}, {"kind"}, {"metadata", &kObjectMeta}, {"spec", &kJobSpec}, {"status"}};
constexpr Type kJob = {"Job", kJobFields};
constexpr Field kJobTemplateFields[] = {{"metadata", &kObjectMeta}, {"spec", &kJobSpec}};
constexpr Type kJobTemplate = {"JobTemplateSpec", kJobTemplateFields};

// ---- jobset.x-k8s.io/v1alpha2

constexpr Field kDependsOnFields[] = {{"name"}, {"status"}};
constexpr Type kDependsOn = {"DependsOn", kDependsOnFields};
constexpr Field kReplicatedJobFields[] = {
    {"name"}, {"groupName"}, {"template", &kJobTemplate}, {"replicas"}, {"dependsOn", &kDependsOn}};
constexpr Type kReplicatedJob = {"ReplicatedJob", kReplicatedJobFields};
constexpr Field kNetworkFields[] = {{"enableDNSHostnames"}, {"subdomain"}, {"publishNotReadyAddresses"}};
constexpr Type kNetwork = {"Network", kNetworkFields};
constexpr Field kSuccessPolicyFields[] = {{"operator"}, {"targetReplicatedJobs"}};
constexpr Type kSuccessPolicy = {"SuccessPolicy", kSuccessPolicyFields};
constexpr Field kFailureRuleFields[] = {
    {"name"}, {"action"}, {"onJobFailureReasons"}, {"onJobFailureMessagePatterns"}, {"targetReplicatedJobs"}};
constexpr Type kFailureRule = {"FailurePolicyRule", kFailureRuleFields};
constexpr Field kFailurePolicyFields[] = {{"maxRestarts"}, {"restartStrategy"}, {"rules", &kFailureRule}};
constexpr Type kFailurePolicy = {"FailurePolicy", kFailurePolicyFields};
constexpr Field kStartupPolicyFields[] = {{"startupPolicyOrder"}};
constexpr Type kStartupPolicy = {"StartupPolicy", kStartupPolicyFields};
constexpr Field kCoordinatorFields[] = {{"replicatedJob"}, {"jobIndex"}, {"podIndex"}};
constexpr Type kCoordinator = {"Coordinator", kCoordinatorFields};
constexpr Field kClaimPolicyFields[] = {{"templates"}, {"retentionPolicy"}};
constexpr Type kClaimPolicy = {"VolumeClaimPolicy", kClaimPolicyFields};

constexpr Field kJobSetSpecFields[] = {
    {"replicatedJobs", &kReplicatedJob}, {"network", &kNetwork},
    {"successPolicy", &kSuccessPolicy},  {"failurePolicy", &kFailurePolicy},
    {"startupPolicy", &kStartupPolicy},  {"suspend"},
    {"coordinator", &kCoordinator},      {"managedBy"},
    {"ttlSecondsAfterFinished"},         {"volumeClaimPolicies", &kClaimPolicy}};
constexpr Type kJobSetSpec = {"JobSetSpec", kJobSetSpecFields};
constexpr Field kJobSetFields[] = {
    {"apiVersion"}, {"kind"}, {"metadata", &kObjectMeta}, {"spec", &kJobSetSpec}, {"status"}};
constexpr Type kJobSet = {"JobSet", kJobSetFields};

const Type* TypeOf(Kind kind) {
  switch (kind) {
    case Kind::kPod:
      return &kPod;
    case Kind::kNode:
      return &kNode;
    case Kind::kJob:
      return &kJob;
    case Kind::kJobSet:
      return &kJobSet;
    default:
      return nullptr;
  }
}

std::string_view ClosestField(std::string_view name, const Type& type) {
  std::vector<std::string_view> names;
  for (const Field& field : type.fields)
    names.push_back(field.name);
  return ClosestTo(name, names);
}

class Walk {
 public:
  void Look(const json::value& value, const Type& type, const std::string& path) {
    if (value.is_array()) {
      std::size_t index = 0;
      for (const json::value& item : value.get_array())
        LookAtObject(item, type, fmt::format("{}[{}]", path, index++));
    } else {
      LookAtObject(value, type, path);
    }
  }

  std::vector<UnknownField> Take() { return std::move(unknown_); }

 private:
  void LookAtObject(const json::value& value, const Type& type, const std::string& path) {
    if (!value.is_object()) return;
    for (const auto& [key, child] : value.get_object()) {
      if (unknown_.size() == kMostUnknownFields) return;
      const std::string_view name(key);
      std::string below = path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
      const auto field = std::ranges::find(type.fields, name, &Field::name);
      if (field == type.fields.end()) {
        unknown_.push_back({std::move(below), type.name, ClosestField(name, type)});
      } else if (field->type != nullptr) {
        Look(child, *field->type, below);
      }
    }
  }

  std::vector<UnknownField> unknown_;
};

}  // namespace

std::vector<UnknownField> UnknownFields(Kind kind, const json::value& object) {
  const Type* type = TypeOf(kind);
  if (type == nullptr) return {};
  Walk walk;
  walk.Look(object, *type, "");
  return walk.Take();
}

std::string ToString(const UnknownField& field) {
  std::string text = fmt::format("{}: {} has no such field", field.path, field.owner);
  if (!field.meant.empty()) text += fmt::format("; did you mean {}?", field.meant);
  return text;
}

}  // namespace cadre::kube
