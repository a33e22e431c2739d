// What a list, a watch or an effect is as an HTTP request to the API server, and what an answer means. Pure
// functions: nothing here waits or sends.
//
// Source: https://kubernetes.io/docs/reference/using-api/api-concepts/ and the conventions of Kubernetes' API
// (api-conventions.md: "HTTP Status codes").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "drive/api.h"
#include "drive/effect.h"
#include "kube/kind.h"
#include "net/http.h"

namespace cadre::live {

struct RestRequest {
  std::string method;
  std::string path;  // with its query, escaped
  std::string content_type{};
  std::string body{};
};

// "/api/v1/pods", "/apis/batch/v1/namespaces/a/jobs"; all namespaces when `namespace_` is empty. `version` is
// one of those that kube::Info(kind) knows.
std::string CollectionPath(kube::Kind kind, std::string_view version, std::string_view namespace_ = {});

// One page of a consistent list. `after`: the continue token of the page before, or empty. `limit` 0: all at
// once.
RestRequest ListPage(kube::Kind kind, std::string_view version, std::int64_t limit, std::string_view after);

// From just after resource version `from`, with bookmarks; the server ends it after about `for_at_most`.
RestRequest WatchFrom(kube::Kind kind, std::string_view version, std::uint64_t from, Duration for_at_most);

// `user` is the field manager and the source of Events. `now`: the time that an Event says. REQUIRES: the
// effect's kind is served as `version`.
RestRequest WriteOf(std::string_view user, const drive::Effect& effect, std::string_view version, Time now);

// The kind of object whose version WriteOf wants: the target's, or the created one's (a Note's: Event).
kube::Kind KindOf(const drive::Effect& effect);

// What became of the write. An object that came back but cannot be read is left out: the write is done all
// the same.
drive::WriteResult ResultOf(const drive::Effect& effect, const net::RequestEnd& end);

// "409 Conflict: pods "a" already exists": the server's own words where the body is a metav1.Status.
std::string Words(int status, std::string_view body);

}  // namespace cadre::live
