#include "sim/memory_api.h"

#include <utility>

#include <fmt/format.h>

#include "base/hash.h"

namespace cadre::sim {

using drive::Outcome;

MemoryApi::MemoryApi(drive::Clock& clock, MemoryApiOptions options)
    : clock_(clock),
      options_(std::move(options)),
      faults_(options_.faults ? std::make_unique<Faults>(*options_.faults) : nullptr),
      store_(options_.history_bound, [this](kube::Kind kind) { hub_.OnChange(kind); }),
      hub_(store_, clock, options_.watch_latency, options_.history_kept, faults_.get()),
      verbs_(store_),
      notes_(options_.notes_bound) {}

MemoryApi::~MemoryApi() = default;

void MemoryApi::CallLater(Time at, void (MemoryApi::*what)()) {
  clock_.CallAt(at, [this, what, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) (this->*what)();
  });
}

// Consistent: the state at the moment of the answer, with the revision to watch from.
void MemoryApi::List(kube::Kind kind, std::function<void(Result<drive::ListResult>)> done) {
  const Time at = clock_.Now() + options_.request_latency + options_.answer_latency;
  clock_.CallAt(at, [this, kind, done = std::move(done), alive = std::weak_ptr(alive_)] {
    if (alive.expired()) return;
    if (faults_ != nullptr && faults_->FailsList(clock_.Now())) {
      return done(Err("the list of {} failed: the server is overloaded (fault)", kube::Info(kind).plural));
    }
    done(drive::ListResult{store_.List(kind), store_.revision()});
  });
}

std::unique_ptr<drive::WatchHandle> MemoryApi::Watch(kube::Kind kind, std::uint64_t from,
                                                     std::function<void(drive::WatchEvent)> on_event) {
  return hub_.Open(kind, from, std::move(on_event));
}

void MemoryApi::Write(std::string_view user, const drive::Effect& effect, Done done) {
  requests_.push_back({clock_.Now() + options_.request_latency, std::string(user), effect, std::move(done)});
  if (std::exchange(requests_pumped_, true)) return;
  CallLater(requests_.front().due, &MemoryApi::PumpRequests);
}

void MemoryApi::PumpRequests() {
  while (!requests_.empty() && requests_.front().due <= clock_.Now()) {
    Request request = std::move(requests_.front());
    requests_.pop_front();
    drive::WriteResult result = Serve(request);
    ++answered_[static_cast<std::size_t>(result.outcome)];
    answers_.push_back({clock_.Now() + options_.answer_latency, std::move(result), std::move(request.done)});
  }
  requests_pumped_ = !requests_.empty();
  if (requests_pumped_) CallLater(requests_.front().due, &MemoryApi::PumpRequests);
  if (answers_.empty() || std::exchange(answers_pumped_, true)) return;
  CallLater(answers_.front().due, &MemoryApi::PumpAnswers);
}

void MemoryApi::PumpAnswers() {
  while (!answers_.empty() && answers_.front().due <= clock_.Now()) {
    AnswerDue answer = std::move(answers_.front());
    answers_.pop_front();
    answer.done(std::move(answer.result));
  }
  answers_pumped_ = !answers_.empty();
  if (answers_pumped_) CallLater(answers_.front().due, &MemoryApi::PumpAnswers);
}

drive::WriteResult MemoryApi::Serve(const Request& request) {
  const Time now = clock_.Now();
  const Faults::OfWrite fault =
      faults_ == nullptr ? Faults::OfWrite::kNone : faults_->OnWrite(now, request.user, request.effect);
  switch (fault) {
    case Faults::OfWrite::kRefused:
      return {Outcome::kRetryable,
              "the server is overloaded, try again later (fault)",
              faults_->RetryAfter(),
              {}};
    case Faults::OfWrite::kConflict:
      return {Outcome::kConflict, "the object has been modified (fault)", Duration{0}, {}};
    case Faults::OfWrite::kLostBefore:
      return {Outcome::kUnknown, "the connection broke (fault)", Duration{0}, {}};
    case Faults::OfWrite::kNone:
    case Faults::OfWrite::kLostAfter:
      break;
  }
  if (admit_) {
    if (std::optional<drive::WriteResult> refusal = admit_(request.user, request.effect))
      return *std::move(refusal);
  }
  drive::WriteResult result = WriteNow(request.user, request.effect);
  if (faults_ != nullptr && faults_->CompactsAfterWrite(now)) hub_.Compact();
  if (fault == Faults::OfWrite::kLostAfter)
    return {Outcome::kUnknown, "the answer was lost (fault)", Duration{0}, {}};
  return result;
}

drive::WriteResult MemoryApi::WriteNow(std::string_view user, const drive::Effect& effect) {
  if (const auto* note = std::get_if<drive::Note>(&effect.what)) return WriteNote(user, *note);
  return verbs_.Apply(clock_.Now(), user, effect);
}

drive::WriteResult MemoryApi::CreateNow(std::string_view user, kube::Kind kind, json::object body,
                                        std::string namespace_) {
  drive::Effect effect;
  effect.what = drive::Create{kind, std::move(namespace_), std::move(body)};
  return WriteNow(user, effect);
}

std::vector<std::string> MemoryApi::Load(std::span<const kube::Object> objects) {
  std::vector<std::string> problems;
  for (const kube::Object& object : objects) {
    const Result<void> loaded = verbs_.Load(clock_.Now(), object);
    if (!loaded) problems.push_back(loaded.error().message);
  }
  return problems;
}

const kube::Object* MemoryApi::Find(kube::Kind kind, std::string_view namespace_,
                                    std::string_view name) const {
  return store_.Find(kind, Store::Key(namespace_, name));
}

drive::WriteResult MemoryApi::WriteNote(std::string_view user, const drive::Note& note) {
  const NoteRecord& record = notes_.Add(clock_.Now(), user, note);
  if (hub_.IsWatched(kube::Kind::kEvent)) WriteEventObject(user, record);
  return {Outcome::kDone, "", Duration{0}, {}};
}

// Event objects are made only for those who watch them: they would be most of the writes otherwise.
void MemoryApi::WriteEventObject(std::string_view user, const NoteRecord& record) {
  const drive::Note& note = record.note;
  const std::string namespace_ = note.regarding.namespace_.empty() ? "default" : note.regarding.namespace_;
  const std::string name = fmt::format("{}.{}", note.regarding.name, Hex(Fnv1a64(Notes::Key(note))));
  drive::Effect effect;
  if (Find(kube::Kind::kEvent, namespace_, name) != nullptr) {
    effect.what = drive::Patch{{kube::Kind::kEvent, namespace_, name},
                               {{"count", record.count}, {"lastTimestamp", FormatRfc3339(record.last)}}};
  } else {
    effect.what = drive::Create{kube::Kind::kEvent,
                                namespace_,
                                {{"metadata", {{"name", name}}},
                                 {"involvedObject",
                                  {{"apiVersion", kube::ApiVersion(note.regarding.kind)},
                                   {"kind", kube::Info(note.regarding.kind).name},
                                   {"namespace", note.regarding.namespace_},
                                   {"name", note.regarding.name},
                                   {"uid", note.regarding_uid}}},
                                 {"type", note.warning ? "Warning" : "Normal"},
                                 {"reason", note.reason},
                                 {"message", note.message},
                                 {"source", {{"component", user}}},
                                 {"count", record.count},
                                 {"firstTimestamp", FormatRfc3339(record.first)},
                                 {"lastTimestamp", FormatRfc3339(record.last)}}};
  }
  verbs_.Apply(clock_.Now(), user, effect);
}

}  // namespace cadre::sim
