// Which version of a kind this API server serves, if any: PodGroups, JobSets and LeaderWorkerSets may or may
// not be there, and come and go with their CRDs.
//
// Source: https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api (APIResourceList).
// Thread rule: the event loop's thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/kind.h"
#include "net/event_loop.h"
#include "net/http2_client.h"

namespace cadre::live {

class ServedVersions {
 public:
  // Both are borrowed.
  ServedVersions(net::EventLoop& loop, net::Http2Client& client) : loop_(loop), client_(client) {}

  // Asks the server and remembers the answer: the version to use, "" when the kind is not served. Kinds that
  // every server has are not asked for. An error: the server could not be asked. `done` is never called from
  // inside.
  void Find(kube::Kind kind, std::function<void(Result<std::string>)> done);

  // As it was found last; before that the one that kube::Info names first.
  std::string_view Of(kube::Kind kind) const;

 private:
  struct Search;
  void Try(const std::shared_ptr<Search>& search);

  net::EventLoop& loop_;
  net::Http2Client& client_;
  std::map<kube::Kind, std::string> found_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace cadre::live
