#include "app/trace.h"

#include <iterator>

#include <fmt/format.h>

#include "base/json.h"

namespace cadre::app {

namespace {

using Out = std::back_insert_iterator<std::string>;

struct EventWriter {
  Out out;
  void operator()(const drive::Changed& changed) {
    const kube::ObjectMeta& meta = changed.object.Meta();
    fmt::format_to(out, "< {} {} uid={} rv={}\n", changed.deleted ? "gone" : "changed",
                   kube::Describe(changed.object), meta.uid, meta.resource_version);
  }
  void operator()(const drive::Listed& listed) {
    fmt::format_to(out, "< listed {}\n", kube::Info(listed.kind).name);
  }
  void operator()(const drive::Answer& answer) {
    fmt::format_to(out, "< answer {} {} {}\n", static_cast<std::uint64_t>(answer.id),
                   drive::ToString(answer.outcome), answer.message);
  }
};

// What ToString(effect) does not tell: the bodies.
std::string BodyOf(const drive::Effect& effect) {
  if (const auto* bind = std::get_if<drive::Bind>(&effect.what)) {
    std::string text;
    for (const auto& [key, value] : bind->annotations)
      text += fmt::format(" {}={}", key, value);
    return text;
  }
  if (const auto* create = std::get_if<drive::Create>(&effect.what)) return ' ' + Canonical(create->body);
  if (const auto* patch = std::get_if<drive::Patch>(&effect.what)) return ' ' + Canonical(patch->merge);
  if (const auto* patch = std::get_if<drive::PatchStatus>(&effect.what)) return ' ' + Canonical(patch->merge);
  if (const auto* note = std::get_if<drive::Note>(&effect.what))
    return fmt::format(" {}: {}", note->reason, note->message);
  return "";
}

}  // namespace

void AppendTrace(Time now, std::span<const drive::Event> events, const drive::StepResult& result,
                 std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}\n", FormatRfc3339Millis(now));
  for (const drive::Event& event : events)
    std::visit(EventWriter{std::back_inserter(out)}, event);
  for (const drive::Effect& effect : result.effects) {
    fmt::format_to(std::back_inserter(out), "> {} after={} uid={} rv={} {}{}\n",
                   static_cast<std::uint64_t>(effect.id),
                   effect.after ? static_cast<std::uint64_t>(*effect.after) : 0, effect.uid,
                   effect.resource_version, drive::ToString(effect), BodyOf(effect));
  }
  if (result.wake) fmt::format_to(std::back_inserter(out), "> wake {}\n", FormatRfc3339Millis(*result.wake));
}

}  // namespace cadre::app
