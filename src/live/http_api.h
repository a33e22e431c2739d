// HttpApi: drive::Api over HTTP/2, a real API server.
//
// Lists are consistent (no resourceVersion: read from etcd's quorum) and come in pages. Watches go on from a
// version, with bookmarks, and end after 5 to 10 minutes, as client-go's do. Pods, Nodes and Jobs come as
// protobuf, everything else, and whatever the server sends otherwise, as JSON.
//
// A kind that the server does not serve (PodGroups, JobSets: no CRD) is an empty list, and its watch is a
// question once a minute whether it is served now. Objects that cannot be read are left out and reported: one
// bad object must not hide the others.
//
// Thread rule: the event loop's thread. Everything is bounded by the clients' queues and by time; retries are
// the driver's (write, list) and the informer's (watch).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "drive/api.h"
#include "drive/clock.h"
#include "live/served_versions.h"
#include "net/event_loop.h"
#include "net/http2_client.h"

namespace cadre::live {

// What cannot hold each other up: a connection each.
struct HttpApiLanes {
  net::Http2Client& pods;    // their lists and watch, most of what comes in
  net::Http2Client& others;  // those of all other kinds
  net::Http2Client& writes;
};

struct HttpApiOptions {
  std::int64_t objects_per_page = 500;
  Duration page_timeout{60'000};
  Duration write_timeout{10'000};
  Duration watch_at_least{300'000};
  Duration watch_at_most{600'000};
  Duration watch_head_timeout{30'000};  // until the server begins to answer
  Duration ask_again{60'000};           // for a kind that is not served
  bool protobuf = true;
  // In [0, 1): spreads the ends of watches. Empty: 0.5 always.
  std::function<double()> jitter;
  // A 401 was answered. Empty: nobody hears of it.
  std::function<void()> on_unauthorized;
  // What was left out, as a sentence for the log. Empty: nobody hears of it.
  std::function<void(const std::string&)> on_problem;
};

class HttpApi : public drive::Api {
 public:
  // Loop, clock and clients are borrowed and must outlive it.
  HttpApi(net::EventLoop& loop, const drive::Clock& clock, HttpApiLanes lanes, HttpApiOptions options);
  ~HttpApi() override;

  void List(kube::Kind kind, std::function<void(Result<drive::ListResult>)> done) override;
  std::unique_ptr<drive::WatchHandle> Watch(kube::Kind kind, std::uint64_t from,
                                            std::function<void(drive::WatchEvent)> on_event) override;
  void Write(std::string_view user, const drive::Effect& effect,
             std::function<void(drive::WriteResult)> done) override;

 private:
  struct Listing;
  class Stream;
  class Question;

  void ListPage(const std::shared_ptr<Listing>& listing);
  void TakePage(const std::shared_ptr<Listing>& listing, net::RequestEnd end);
  net::Http2Client& LaneOf(kube::Kind kind);
  std::string AcceptOf(kube::Kind kind) const;
  void Problem(const std::string& what) const;
  void Look(const net::RequestEnd& end) const;

  net::EventLoop& loop_;
  const drive::Clock& clock_;
  HttpApiLanes lanes_;
  HttpApiOptions options_;
  ServedVersions versions_;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace cadre::live
