// One page of a list that came as JSON, read as protobuf's is (kube/protobuf_decode.h).
#pragma once

#include <string_view>

#include "base/result.h"
#include "kube/kind.h"
#include "kube/protobuf_decode.h"

namespace cadre::live {

// `text`: a PodList, JobSetList, … of this kind. Items that are no good object are named, not fatal.
Result<kube::ObjectList> DecodeJsonList(kube::Kind kind, std::string_view text);

}  // namespace cadre::live
