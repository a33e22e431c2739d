// Object: a handle on one immutable version of one API object.
//
// Copying is cheap (two shared pointers); the pointed-to structs are never changed after decoding, so an
// Object may be handed between threads. `raw` is the JSON that the API server sent (null where the wire was
// protobuf): controllers copy sub-objects from it verbatim, so that fields Cadre does not know survive.
#pragma once

#include <memory>

#include <boost/json/value.hpp>

#include "base/check.h"
#include "base/result.h"
#include "kube/kind.h"
#include "kube/meta.h"

namespace cadre::kube {

struct Object {
  Kind kind{};
  std::shared_ptr<const Resource> body;
  std::shared_ptr<const boost::json::value> raw;

  const ObjectMeta& Meta() const { return body->metadata; }

  // The typed struct. REQUIRES: T belongs to `kind`. PodGroup serves both of its kinds; kinds without a
  // struct of their own are plain Resource.
  template <class T>
  const T& As() const {
    const T* typed = dynamic_cast<const T*>(body.get());
    CADRE_ASSERT(typed != nullptr, "Object::As with a type that is not this object's kind");
    return *typed;
  }
};

// "Pod default/web-0": how messages name an object.
std::string Describe(const Object& object);

}  // namespace cadre::kube
