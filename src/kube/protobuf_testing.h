// For tests only: random objects of the API, each as JSON and as the protobuf that an API server would send.
// Include after gtest.
//
// Written from generated.proto alone, not from the decoders' tables, which it checks. Fields have flags: '*'
// repeated,
// '?' a pointer in Go (protobuf has it only where it is set), '!' always in JSON, '^' its fields stand in
// JSON among those of its parent; all others are written to protobuf even when they are zero, as Kubernetes
// does, and to JSON only when they are not. Types: s text, b true or false, i and l numbers of 32 and 64
// bits, T time, m map of texts, q map of quantities, A|B one of these texts, else a message.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>
#include <protozero/pbf_writer.hpp>

#include "base/random.h"
#include "base/text.h"
#include "base/time.h"

namespace cadre::kube {

struct MessageSchema {
  std::string_view name;
  std::string_view fields;  // "name=number:type and flag", separated by blanks
};

// k8s.io/api and k8s.io/apimachinery v0.36.3: what the decoders read, and neighbours that they have to skip.
inline constexpr MessageSchema kSchema[] = {
    // NOLINT(*-avoid-c-arrays)
    {"Pod", "metadata=1:ObjectMeta spec=2:PodSpec status=3:PodStatus"},
    {"PodSpec",
     "volumes=1:Volume* containers=2:Container* restartPolicy=3:s "
     "terminationGracePeriodSeconds=4:l? activeDeadlineSeconds=5:l? dnsPolicy=6:s "
     "nodeSelector=7:m serviceAccountName=8:s serviceAccount=9:s nodeName=10:s hostNetwork=11:b "
     "hostPID=12:b hostIPC=13:b hostname=16:s subdomain=17:s affinity=18:Affinity? "
     "schedulerName=19:s initContainers=20:Container* automountServiceAccountToken=21:b? "
     "tolerations=22:Toleration* priorityClassName=24:s priority=25:i? "
     "shareProcessNamespace=27:b? runtimeClassName=29:s? enableServiceLinks=30:b? "
     "preemptionPolicy=31:s? overhead=32:q "
     "topologySpreadConstraints=33:TopologySpreadConstraint* setHostnameAsFQDN=35:b? "
     "hostUsers=37:b? schedulingGates=38:PodSchedulingGate* resourceClaims=39:PodResourceClaim* "
     "resources=40:ResourceRequirements? hostnameOverride=41:s? "
     "schedulingGroup=43:PodSchedulingGroup?"},
    {"PodStatus",
     "phase=1:Pending|Running|Succeeded|Failed|Unknown conditions=2:PodCondition* message=3:s "
     "reason=4:s hostIP=5:s podIP=6:s startTime=7:T? containerStatuses=8:ContainerStatus* "
     "qosClass=9:s initContainerStatuses=10:ContainerStatus* nominatedNodeName=11:s "
     "ephemeralContainerStatuses=13:ContainerStatus* resize=14:s observedGeneration=17:l "
     "allocatedResources=19:q resources=20:ResourceRequirements?"},
    {"Container",
     "name=1:s image=2:s command=3:s* args=4:s* workingDir=5:s ports=6:ContainerPort* "
     "resources=8:ResourceRequirements terminationMessagePath=13:s imagePullPolicy=14:s "
     "stdin=16:b stdinOnce=17:b tty=18:b terminationMessagePolicy=20:s "
     "restartPolicy=24:Always|Never?"},
    {"ContainerPort", "name=1:s hostPort=2:i containerPort=3:i protocol=4:TCP|UDP|SCTP hostIP=5:s"},
    {"ContainerStatus",
     "name=1:s state=2:ContainerState lastState=3:ContainerState ready=4:b restartCount=5:i "
     "image=6:s imageID=7:s containerID=8:s started=9:b? allocatedResources=10:q "
     "resources=11:ResourceRequirements? stopSignal=15:s?"},
    {"ContainerState", "terminated=3:ContainerStateTerminated?"},
    {"ContainerStateTerminated",
     "exitCode=1:i signal=2:i reason=3:s message=4:s startedAt=5:T finishedAt=6:T "
     "containerID=7:s"},
    {"ResourceRequirements", "limits=1:q requests=2:q"},
    {"Toleration", "key=1:s operator=2:Equal|Exists|Gt|Lt value=3:s effect=4:s tolerationSeconds=5:l?"},
    {"NodeSelector", "nodeSelectorTerms=1:NodeSelectorTerm*"},
    {"NodeSelectorTerm",
     "matchExpressions=1:NodeSelectorRequirement* matchFields=2:NodeSelectorRequirement*"},
    {"NodeSelectorRequirement", "key=1:s operator=2:In|NotIn|Exists|DoesNotExist|Gt|Lt values=3:s*"},
    {"NodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution=1:NodeSelector?"},
    {"PodAffinity", "requiredDuringSchedulingIgnoredDuringExecution=1:PodAffinityTerm*"},
    {"PodAffinityTerm",
     "labelSelector=1:LabelSelector? namespaces=2:s* topologyKey=3:s "
     "namespaceSelector=4:LabelSelector? matchLabelKeys=5:s* mismatchLabelKeys=6:s*"},
    {"PodAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution=1:PodAffinityTerm*"},
    {"Affinity",
     "nodeAffinity=1:NodeAffinity? podAffinity=2:PodAffinity? podAntiAffinity=3:PodAntiAffinity?"},
    {"TopologySpreadConstraint",
     "maxSkew=1:i! topologyKey=2:s whenUnsatisfiable=3:DoNotSchedule|ScheduleAnyway "
     "labelSelector=4:LabelSelector? minDomains=5:i? nodeAffinityPolicy=6:Honor|Ignore? "
     "nodeTaintsPolicy=7:Honor|Ignore? matchLabelKeys=8:s*"},
    {"PodCondition",
     "type=1:Ready|PodResizePending status=2:True|False|Unknown lastProbeTime=3:T "
     "lastTransitionTime=4:T reason=5:Infeasible|Deferred message=6:s observedGeneration=7:l"},
    {"PodSchedulingGate", "name=1:s"},
    {"PodResourceClaim", "name=1:s resourceClaimName=3:s? resourceClaimTemplateName=4:s?"},
    {"Volume", "name=1:s volumeSource=2:VolumeSource^"},
    {"PersistentVolumeClaimVolumeSource", "claimName=1:s readOnly=2:b"},
    {"VolumeSource",
     "persistentVolumeClaim=10:PersistentVolumeClaimVolumeSource? "
     "ephemeral=29:EphemeralVolumeSource?"},
    {"EphemeralVolumeSource", ""},
    {"Node", "metadata=1:ObjectMeta spec=2:NodeSpec status=3:NodeStatus"},
    {"NodeSpec", "podCIDR=1:s externalID=2:s providerID=3:s unschedulable=4:b taints=5:Taint* podCIDRs=7:s*"},
    {"NodeStatus",
     "capacity=1:q allocatable=2:q phase=3:s conditions=4:NodeCondition* volumesInUse=9:s* "
     "declaredFeatures=14:s*"},
    {"NodeCondition",
     "type=1:s status=2:True|False|Unknown lastHeartbeatTime=3:T lastTransitionTime=4:T "
     "reason=5:s message=6:s"},
    {"Taint", "key=1:s value=2:s effect=3:s timeAdded=4:T?"},
    {"PodTemplateSpec", "metadata=1:ObjectMeta spec=2:PodSpec"},
    {"PodSchedulingGroup", "podGroupName=1:s?"},
    {"Job", "metadata=1:ObjectMeta spec=2:JobSpec status=3:JobStatus"},
    {"JobSpec",
     "parallelism=1:i? completions=2:i? activeDeadlineSeconds=3:l? selector=4:LabelSelector? "
     "manualSelector=5:b? template=6:PodTemplateSpec backoffLimit=7:i? "
     "ttlSecondsAfterFinished=8:i? completionMode=9:Indexed|NonIndexed? suspend=10:b? "
     "podFailurePolicy=11:PodFailurePolicy? backoffLimitPerIndex=12:i? maxFailedIndexes=13:i? "
     "podReplacementPolicy=14:Failed|TerminatingOrFailed? managedBy=15:s? "
     "successPolicy=16:SuccessPolicy?"},
    {"JobStatus",
     "conditions=1:JobCondition* startTime=2:T? completionTime=3:T? active=4:i succeeded=5:i "
     "failed=6:i completedIndexes=7:s uncountedTerminatedPods=8:UncountedTerminatedPods? "
     "ready=9:i? failedIndexes=10:s? terminating=11:i?"},
    {"JobCondition",
     "type=1:s status=2:True|False|Unknown lastProbeTime=3:T lastTransitionTime=4:T reason=5:s "
     "message=6:s"},
    {"PodFailurePolicy", "rules=1:PodFailurePolicyRule*"},
    {"PodFailurePolicyOnExitCodesRequirement", "containerName=1:s? operator=2:In|NotIn values=3:i*"},
    {"PodFailurePolicyOnPodConditionsPattern", "type=1:s status=2:True|False|Unknown!"},
    {"PodFailurePolicyRule",
     "action=1:FailJob|FailIndex|Ignore|Count "
     "onExitCodes=2:PodFailurePolicyOnExitCodesRequirement? "
     "onPodConditions=3:PodFailurePolicyOnPodConditionsPattern*"},
    {"SuccessPolicy", "rules=1:SuccessPolicyRule*"},
    {"SuccessPolicyRule", "succeededIndexes=1:s? succeededCount=2:i?"},
    {"UncountedTerminatedPods", "succeeded=1:s* failed=2:s*"},
    {"ObjectMeta",
     "name=1:s generateName=2:s namespace=3:s selfLink=4:s uid=5:s "
     "resourceVersion=6:1|81234567890 generation=7:l creationTimestamp=8:T "
     "deletionTimestamp=9:T? deletionGracePeriodSeconds=10:l? labels=11:m annotations=12:m "
     "ownerReferences=13:OwnerReference* finalizers=14:s*"},
    {"OwnerReference", "kind=1:s name=3:s uid=4:s apiVersion=5:s controller=6:b? blockOwnerDeletion=7:b?"},
    {"LabelSelector", "matchLabels=1:m matchExpressions=2:LabelSelectorRequirement*"},
    {"LabelSelectorRequirement", "key=1:s operator=2:In|NotIn|Exists|DoesNotExist values=3:s*"},
};

struct SchemaField {
  std::string_view name;
  std::uint32_t number = 0;
  std::string_view type;
  char flag = ' ';

  bool IsMessage() const { return type.size() > 1 && type.find('|') == std::string_view::npos; }
  bool IsText() const { return type == "s" || type.find('|') != std::string_view::npos; }
};

inline const std::vector<SchemaField>& FieldsOfMessage(std::string_view message) {
  static const auto* const all = [] {
    auto* table = new std::map<std::string_view, std::vector<SchemaField>>;  // lives as long as the program
    for (const MessageSchema& schema : kSchema) {
      std::vector<SchemaField>& fields = (*table)[schema.name];
      for (const std::string_view text : Split(schema.fields, ' ')) {
        const std::size_t equals = text.find('=');
        const std::size_t colon = text.find(':');
        SchemaField field{
            .name = text.substr(0, equals), .number = 0, .type = text.substr(colon + 1), .flag = ' '};
        if (field.name.empty()) continue;  // a message without fields
        for (const char digit : text.substr(equals + 1, colon - equals - 1))
          field.number = field.number * 10 + static_cast<std::uint32_t>(digit - '0');
        if (std::string_view("*?!^").find(field.type.back()) != std::string_view::npos) {
          field.flag = field.type.back();
          field.type.remove_suffix(1);
        }
        fields.push_back(field);
      }
    }
    return table;
  }();
  return all->at(message);
}

// Makes JSON of a message; the fields that Go writes without being set are there.
class RandomMessage {
 public:
  explicit RandomMessage(std::uint64_t seed) : random_(seed) {}

  boost::json::object Make(std::string_view message) {
    boost::json::object object;
    for (const SchemaField& field : FieldsOfMessage(message))
      Add(field, object);
    return object;
  }

 private:
  void Add(const SchemaField& field, boost::json::object& out) {
    if (field.flag == '^') {
      for (auto& part : Make(field.type))
        out[part.key()] = part.value();
      return;
    }
    const bool always = field.flag == '!' || (field.flag == ' ' && field.IsMessage());
    if (!always && random_.Chance(0.5)) return;
    if (field.flag != '*') {
      boost::json::value value = Value(field);
      if (field.flag != ' ' || !IsZero(value)) out[field.name] = std::move(value);
      return;
    }
    boost::json::array items;
    for (std::uint64_t i = random_.Uniform(3); i > 0; --i)
      items.push_back(Value(field));
    if (!items.empty()) out[field.name] = std::move(items);
  }

  static bool IsZero(const boost::json::value& value) {
    if (value.is_string()) return value.get_string().empty();
    return value == boost::json::value(false) || value == boost::json::value(0);
  }

  template <class T, std::size_t N>
  const T& Any(const T (&values)[N]) {  // NOLINT(*-avoid-c-arrays)
    return values[random_.Uniform(N)];
  }

  boost::json::value Value(const SchemaField& field) {
    static constexpr std::string_view kTexts[] = {"",
                                                  "a",
                                                  "b",
                                                  "worker-0",
                                                  "topology.kubernetes.io/zone",
                                                  "gr\u00fc\u00df",
                                                  "a longer text, which no small string can hold in itself"};
    static constexpr std::int64_t kNumbers[] = {0, 1, -1, 7, 300, 2147483647, -2147483648};
    static constexpr std::int64_t kLongNumbers[] = {0, 1, 30, 1LL << 40U, -5};
    if (field.type == "s") return boost::json::string(Any(kTexts));
    if (field.type == "b") return random_.Chance(0.5);
    if (field.type == "i") return Any(kNumbers);
    if (field.type == "l") return Any(kLongNumbers);
    if (field.type == "T")
      return boost::json::string(FormatRfc3339(Time(std::chrono::seconds(random_.Uniform(4'000'000'000)))));
    if (field.type == "m") return Map(kTexts);
    if (field.type == "q") return Amounts();
    if (field.IsMessage()) return Make(field.type);
    const std::vector<std::string_view> choices = Split(field.type, '|');
    return boost::json::string(choices[random_.Uniform(choices.size())]);
  }

  template <std::size_t N>
  boost::json::object Map(const std::string_view (&texts)[N]) {  // NOLINT(*-avoid-c-arrays)
    boost::json::object map;
    for (std::uint64_t i = random_.Uniform(4); i > 0; --i)
      map[Any(texts)] = boost::json::string(Any(texts));
    return map;
  }

  boost::json::object Amounts() {
    static constexpr std::string_view kAmounts[] = {"0", "1", "250m", "1.5", "64Gi", "1e3", "3k"};
    boost::json::object map;
    for (const std::string_view name : {"memory", "cpu"}) {
      if (random_.Chance(0.5)) map[name] = boost::json::string(Any(kAmounts));
    }
    if (random_.Chance(0.3)) map["nvidia.com/gpu"] = "8";
    return map;
  }

  Random random_;
};

// Writes the JSON of a message as Kubernetes' protobuf does.
class ProtobufOfJson {
 public:
  static std::string Write(std::string_view message, const boost::json::object& object) {
    std::string bytes;
    WriteFields(message, object, bytes);
    return bytes;
  }

 private:
  static void WriteFields(std::string_view message, const boost::json::object& object, std::string& bytes) {
    protozero::pbf_writer out(bytes);
    for (const SchemaField& field : FieldsOfMessage(message)) {
      const boost::json::value* value = object.if_contains(field.name);
      if (field.flag == '^') {
        out.add_message(field.number, Write(field.type, object));
      } else if (value == nullptr) {
        if (field.flag == ' ') WriteZero(field, out);
      } else if (field.flag == '*') {
        for (const boost::json::value& item : value->as_array())
          WriteValue(field, item, out);
      } else {
        WriteValue(field, *value, out);
      }
    }
    out.add_bytes(61, "a field of tomorrow");
    out.add_int64(1000, 1);
  }

  static void WriteZero(const SchemaField& field, protozero::pbf_writer& out) {
    if (field.IsText()) {
      out.add_string(field.number, "");
    } else if (field.type == "T") {
      out.add_message(field.number, std::string());
    } else if (field.type == "b" || field.type == "i" || field.type == "l") {
      out.add_int64(field.number, 0);
    }
  }

  static void WriteValue(const SchemaField& field, const boost::json::value& value,
                         protozero::pbf_writer& out) {
    if (field.IsMessage()) return out.add_message(field.number, Write(field.type, value.as_object()));
    if (field.type == "b") return out.add_bool(field.number, value.as_bool());
    if (field.type == "i" || field.type == "l") return out.add_int64(field.number, value.as_int64());
    if (field.type == "m" || field.type == "q") return WriteMap(field, value.as_object(), out);
    const std::string text(value.as_string());
    if (field.type != "T") return out.add_string(field.number, text);
    std::string time;
    protozero::pbf_writer parts(time);
    parts.add_int64(1, ParseRfc3339(text)->time_since_epoch().count() / 1000);
    parts.add_int32(2, 0);
    out.add_message(field.number, time);
  }

  static void WriteMap(const SchemaField& field, const boost::json::object& map, protozero::pbf_writer& out) {
    for (const auto& [key, value] : map) {
      std::string entry;
      protozero::pbf_writer parts(entry);
      parts.add_string(1, std::string(key));
      const std::string text(value.as_string());
      if (field.type == "m") {
        parts.add_string(2, text);
      } else {
        std::string quantity;
        protozero::pbf_writer(quantity).add_string(1, text);
        parts.add_message(2, quantity);
      }
      out.add_message(field.number, entry);
    }
  }
};

// "k8s\0" and a runtime.Unknown around a message.
inline std::string Envelope(std::string_view api_version, std::string_view kind, std::string_view message) {
  std::string type;
  protozero::pbf_writer type_meta(type);
  type_meta.add_string(1, std::string(api_version));
  type_meta.add_string(2, std::string(kind));
  std::string bytes("k8s\0", 4);
  protozero::pbf_writer unknown(bytes);
  unknown.add_message(1, type);
  unknown.add_bytes(2, message.data(), message.size());
  unknown.add_string(3, "");
  unknown.add_string(4, "");
  return bytes;
}

}  // namespace cadre::kube
