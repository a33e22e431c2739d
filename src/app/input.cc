#include "app/input.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "app/annotation_check.h"
#include "app/cluster_file.h"
#include "app/run_size.h"
#include "app/simulation.h"
#include "base/text.h"
#include "base/utf8.h"
#include "kube/decode.h"
#include "kube/job.h"
#include "kube/jobset.h"
#include "kube/leaderworkerset.h"
#include "kube/pod.h"
#include "kube/unknown_fields.h"
#include "kube/validate.h"
#include "kube/yaml.h"
#include "sim/run_time.h"

namespace cadre::app {

namespace {

constexpr std::size_t kNamedPerNote = 5;

bool IsWorkload(kube::Kind kind) {
  static constexpr auto kWorkloads =
      std::to_array<kube::Kind>({kube::Kind::kPod, kube::Kind::kJob, kube::Kind::kJobSet,
                                 kube::Kind::kPodGroup, kube::Kind::kSchedulerPluginsPodGroup});
  return std::find(kWorkloads.begin(), kWorkloads.end(), kind) != kWorkloads.end();
}

bool IsFinished(const kube::Object& object) {
  switch (object.kind) {
    case kube::Kind::kPod:
      return kube::IsTerminal(object.As<kube::Pod>());
    case kube::Kind::kJob:
      return kube::IsFinished(object.As<kube::Job>());
    case kube::Kind::kJobSet:
      return kube::IsFinished(object.As<kube::JobSet>());
    default:
      return false;
  }
}

bool IsBoundPod(const kube::Object& object) {
  return object.kind == kube::Kind::kPod && !object.As<kube::Pod>().spec.node_name.empty();
}

// Submitted as a new object it would have no status, and the room that another scheduler keeps for it would
// be lost.
bool IsNominatedPod(const kube::Object& object) {
  return object.kind == kube::Kind::kPod && !object.Meta().deletion_timestamp &&
         !object.As<kube::Pod>().status.nominated_node_name.empty();
}

std::string At(const kube::Source& source) {
  // Traces have lines, but no documents.
  if (source.document == 0) return fmt::format("{}: line {}", source.file, source.line);
  std::string text = fmt::format("{}: document {}", source.file, source.document);
  if (source.line > 0) text += fmt::format(", line {}", source.line);
  return text;
}

void CollectComplaints(const kube::PodTemplate& from, std::vector<std::string>& complaints) {
  kube::Pod pod;
  pod.metadata.name = "template";
  pod.metadata.annotations = from.annotations;
  pod.spec = from.spec;
  for (std::string& complaint : sim::RunPlanOf(pod).complaints)
    complaints.push_back(std::move(complaint));
}

// What the API server would take and a simulation cannot do.
std::vector<std::string> SimulationComplaints(const kube::Object& object, Duration after) {
  constexpr std::int64_t kMostJobs = 100'000;
  std::vector<std::string> complaints;
  if (after > SimulationOptions{}.limit)
    complaints.push_back(fmt::format("metadata.annotations[{}]: {} is after the end of every simulation ({})",
                                     kSubmitAnnotation, FormatDuration(after),
                                     FormatDuration(SimulationOptions{}.limit)));
  if (std::optional<std::string> too_many = TooManyPods(object)) complaints.push_back(*std::move(too_many));
  if (object.kind == kube::Kind::kPod) {
    const auto& pod = object.As<kube::Pod>();
    for (std::string& complaint : sim::RunPlanOf(pod).complaints)
      complaints.push_back(std::move(complaint));
  } else if (object.kind == kube::Kind::kJob) {
    CollectComplaints(object.As<kube::Job>().spec.pod_template, complaints);
  } else if (object.kind == kube::Kind::kJobSet) {
    std::int64_t jobs = 0;
    for (const kube::ReplicatedJob& replicated : object.As<kube::JobSet>().spec.replicated_jobs) {
      CollectComplaints(replicated.job.pod_template, complaints);
      jobs += replicated.replicas;
    }
    if (jobs > kMostJobs)
      complaints.push_back(fmt::format(
          "spec.replicatedJobs: found {} Jobs in all, a simulation takes at most {}", jobs, kMostJobs));
  }
  return complaints;
}

// Reads a dump's owner references: which Jobs and JobSets are under way.
class Ownership {
 public:
  explicit Ownership(const std::vector<kube::LoadedObject>& objects) {
    for (const kube::LoadedObject& loaded : objects) {
      if (!loaded.object.Meta().uid.empty()) by_uid_.emplace(loaded.object.Meta().uid, &loaded.object);
    }
    for (const kube::LoadedObject& loaded : objects) {
      if (!IsBoundPod(loaded.object) || IsFinished(loaded.object)) continue;
      for (const kube::Object* owner = OwnerOf(loaded.object); owner != nullptr; owner = OwnerOf(*owner)) {
        if (!under_way_.insert(owner->Meta().uid).second) break;
      }
    }
  }

  // The Job or JobSet in the input that controls it; null when there is none.
  const kube::Object* OwnerOf(const kube::Object& object) const {
    const kube::OwnerReference* reference = object.Meta().Controller();
    if (reference == nullptr || (reference->kind != "Job" && reference->kind != "JobSet")) return nullptr;
    const auto found = by_uid_.find(reference->uid);
    return found == by_uid_.end() || found->second == &object ? nullptr : found->second;
  }

  // It or something above it has running pods.
  bool UnderWay(const kube::Object& object) const {
    // Owner references cannot be longer than the number of objects; a cycle in a dump must not hang us.
    std::size_t steps = 0;
    for (const kube::Object* at = &object; at != nullptr && steps <= by_uid_.size();
         at = OwnerOf(*at), ++steps) {
      if (under_way_.contains(at->Meta().uid)) return true;
    }
    return false;
  }

 private:
  std::map<std::string, const kube::Object*, std::less<>> by_uid_;
  std::set<std::string, std::less<>> under_way_;
};

class Sorter {
 public:
  Sorter(const kube::Manifests& manifests, SimulationInput& input)
      : manifests_(manifests), ownership_(manifests.objects), input_(input) {}

  void Run() {
    for (const kube::LoadedObject& loaded : manifests_.objects)
      Take(loaded);
    for (const auto& [why, names] : left_out_)
      input_.notes.push_back(NoteOf(fmt::format("left out because they {}", why), names));
    NoteLeaderWorkerSets();
    for (const kube::Problem& problem : manifests_.problems)
      input_.problems.push_back(kube::ToString(problem));
    CountUnknown();
  }

 private:
  void Take(const kube::LoadedObject& loaded) {
    const kube::Object& object = loaded.object;
    const auto submit = object.Meta().annotations.find(kSubmitAnnotation);
    if (submit != object.Meta().annotations.end()) {
      const Result<Duration> after = ParseDuration(submit->second);
      if (after) {
        Submit(loaded, *after);
      } else {
        Complain(loaded,
                 fmt::format("metadata.annotations[{}]: {}", kSubmitAnnotation, after.error().message));
      }
    } else if (object.kind == kube::Kind::kEvent || object.kind == kube::Kind::kLease) {
      LeaveOut("say nothing about placing", object);
    } else if (!IsWorkload(object.kind)) {
      const bool is_set = object.kind == kube::Kind::kLeaderWorkerSet;
      if (!is_set || IsSound(loaded, kube::Validate(object))) input_.cluster.push_back(object);
    } else {
      TakeWorkload(loaded);
    }
  }

  void TakeWorkload(const kube::LoadedObject& loaded) {
    const kube::Object& object = loaded.object;
    const kube::Object* owner = ownership_.OwnerOf(object);
    if (ownership_.UnderWay(object)) {
      input_.cluster.push_back(object);
    } else if (IsFinished(object)) {
      LeaveOut("had finished already", object);
    } else if (owner != nullptr && !IsFinished(*owner)) {
      LeaveOut("will be made again by their owner, which is submitted as new", object);
    } else if (IsBoundPod(object) || IsNominatedPod(object)) {
      input_.cluster.push_back(WithoutLostOwner(object));
    } else if (object.Meta().deletion_timestamp) {
      LeaveOut("were being deleted", object);
    } else {
      Submit(loaded, Duration(0));
    }
  }

  void Submit(const kube::LoadedObject& loaded, Duration after) {
    std::vector<std::string> complaints = kube::Validate(loaded.object);
    for (std::string& complaint : SimulationComplaints(loaded.object, after))
      complaints.push_back(std::move(complaint));
    if (IsSound(loaded, complaints)) input_.submissions.push_back({loaded.object, after});
  }

  // Passes the complaints on; without any the object can be used. What is only ignored is noted.
  bool IsSound(const kube::LoadedObject& loaded, const std::vector<std::string>& complaints) {
    for (const std::string& misread : MisreadAnnotations(loaded.object))
      NoteMisread(loaded, misread);
    for (const kube::UnknownField& field : kube::UnknownFields(loaded.object.kind, *loaded.object.raw))
      NoteMisread(loaded, kube::ToString(field));
    for (const std::string& complaint : complaints)
      Complain(loaded, complaint);
    return complaints.empty();
  }

  void NoteMisread(const kube::LoadedObject& loaded, std::string_view what) {
    input_.misread.push_back(
        fmt::format("{}: {}: {}", At(loaded.source), kube::Describe(loaded.object), what));
  }

  // A running pod whose Job is not in the dump stays; with the reference the garbage collector would take it
  // away.
  static kube::Object WithoutLostOwner(const kube::Object& pod) {
    const kube::OwnerReference* owner = pod.Meta().Controller();
    if (owner == nullptr || (owner->kind != "Job" && owner->kind != "JobSet")) return pod;
    json::value body = *pod.raw;
    json::object& metadata = body.as_object().at("metadata").as_object();
    metadata.erase("ownerReferences");
    metadata.erase("finalizers");
    Result<kube::Object> decoded = kube::Decode(kube::Kind::kPod, std::move(body));
    return decoded ? *std::move(decoded) : pod;
  }

  void Complain(const kube::LoadedObject& loaded, std::string_view message) {
    input_.problems.push_back(fmt::format("{}: {}", At(loaded.source), message));
  }

  void LeaveOut(const std::string& why, const kube::Object& object) {
    left_out_[why].push_back(kube::Describe(object));
  }

  static std::string NoteOf(const std::string& why, const std::vector<std::string>& names) {
    return fmt::format("{}: {}", why, FirstAndMore(names, kNamedPerNote));
  }

  // They are taken and nothing is made of them: that must not look as if they had run.
  void NoteLeaderWorkerSets() {
    std::set<std::string> with_pods;
    for (const kube::LoadedObject& loaded : manifests_.objects) {
      const kube::ObjectMeta& meta = loaded.object.Meta();
      if (loaded.object.kind != kube::Kind::kPod) continue;
      if (const auto set = meta.labels.find(kube::kLwsNameLabel); set != meta.labels.end())
        with_pods.insert(fmt::format("{}/{}", meta.namespace_, set->second));
    }
    std::vector<std::string> as_given;
    for (const kube::LoadedObject& loaded : manifests_.objects) {
      if (loaded.object.kind != kube::Kind::kLeaderWorkerSet) continue;
      const bool has_pods = with_pods.contains(kube::KeyOf(loaded.object.Meta()));
      (has_pods ? as_given : input_.without_controller).push_back(kube::Describe(loaded.object));
    }
    const std::string why = "the controller of LeaderWorkerSets is not simulated";
    if (!input_.without_controller.empty())
      input_.notes.push_back(
          NoteOf(why + ", so that none of their pods are made", input_.without_controller));
    if (!as_given.empty())
      input_.notes.push_back(NoteOf(why + ", their pods are run as they are given", as_given));
  }

  void CountUnknown() {
    std::map<std::pair<std::string, std::string>, report::UnknownKind> kinds;
    for (const kube::UnknownObject& unknown : manifests_.unknown) {
      report::UnknownKind& kind = kinds[{unknown.kind, unknown.api_version}];
      if (kind.count++ == 0) {
        kind.api_version = unknown.api_version;
        kind.kind = unknown.kind;
        kind.first = At(unknown.source);
        kind.instead = kube::ReadInstead(unknown.api_version, unknown.kind);
      }
    }
    for (auto& [key, kind] : kinds)
      input_.unknown_kinds.push_back(std::move(kind));
  }

  const kube::Manifests& manifests_;
  const Ownership ownership_;
  SimulationInput& input_;
  std::map<std::string, std::vector<std::string>> left_out_;
};

// The first document of a file if it is a cluster description; nothing otherwise.
std::optional<json::value> ReadDescription(const std::string& text) {
  const std::vector<kube::YamlChunk> chunks = kube::SplitYaml(text);
  if (chunks.size() != 1) return std::nullopt;
  auto document = kube::ParseYaml(chunks.front());
  if (!document || !*document || !IsClusterDescription((*document)->value)) return std::nullopt;
  return std::move((*document)->value);
}

}  // namespace

SimulationInput SortInput(const kube::Manifests& manifests) {
  SimulationInput input;
  Sorter(manifests, input).Run();
  return input;
}

void LoadClusterFile(const std::string& path, kube::Manifests& manifests) {
  static constexpr std::size_t kLargestDescription = 1'000'000;
  std::ifstream file(path, std::ios::binary);
  std::string text(kLargestDescription, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  // Dumps are JSON (or packed), and too long for a description.
  const bool may_be_description = text.size() < kLargestDescription && Trim(text).substr(0, 1) != "{" &&
                                  text.find("nodes:") != std::string::npos && CheckUtf8(text);
  const std::optional<json::value> description = may_be_description ? ReadDescription(text) : std::nullopt;
  if (!description) {
    kube::LoadPath(path, manifests);
    return;
  }
  const kube::Source source{.file = path, .document = 1, .line = 1};
  Result<std::vector<kube::Object>> nodes = NodesFromDescription(*description);
  if (!nodes) {
    manifests.problems.push_back({.source = source, .field = {}, .message = nodes.error().message});
    return;
  }
  for (kube::Object& node : *nodes)
    manifests.objects.push_back({std::move(node), source});
}

}  // namespace cadre::app
