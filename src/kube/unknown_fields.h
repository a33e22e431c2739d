// Fields that an object has and its kind does not. The API server drops them (and kubectl warns: KEP-2885),
// so that a misspelt nodeSelector leaves a pod free to run anywhere; nothing else would say so.
//
// Known are the metadata and the specs of Pod, Job, JobSet and Node down to what placing, counting and
// running depend on, as of Kubernetes 1.36 and JobSet 0.12; below fields that Cadre has no use for (probes,
// volumes, status) nothing is looked at, nor at the specs of other kinds but for pod templates.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "kube/kind.h"

namespace cadre::kube {

// A document may be nothing but mistakes.
inline constexpr std::size_t kMostUnknownFields = 20;

struct UnknownField {
  std::string path;        // "spec.template.spec.nodeSelctor", "spec.containers[1].resource"
  std::string_view owner;  // "PodSpec": what has no such field
  std::string_view meant;  // the field of it that is spelt most alike; empty: none is
};

// The first kMostUnknownFields of an object of this kind, in its own order. Whatever is not an object where
// one should be is for the decoder to refuse.
std::vector<UnknownField> UnknownFields(Kind kind, const boost::json::value& object);

// "spec.nodeSelctor: PodSpec has no such field; did you mean nodeSelector?"
std::string ToString(const UnknownField& field);

}  // namespace cadre::kube
