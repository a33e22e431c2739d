// Informer: keeps one kind of objects in step with the API server. It lists, watches from there, resumes a
// stream that ended, and lists again when its version has expired. Out comes one sequence of Changed events
// without gaps, and Listed once, after the first list.
//
// What it holds: one handle per living object (by UID, so that a deletion and a re-creation under one name
// stay two objects). It needs them to find out, after a relist, what vanished. Thread rule: the event loop's
// thread only. Destroying it stops everything: no callback comes after that.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/unordered/unordered_flat_map.hpp>

#include "drive/api.h"
#include "drive/clock.h"
#include "drive/machine.h"

namespace cadre::drive {

struct InformerBackoff {
  Duration first;  // after a failed list, or after a watch that ended before it brought anything
  Duration max;    // it doubles up to this
};

class Informer {
 public:
  using Sink = std::function<void(Event)>;

  // Api and clock are borrowed and must outlive it. `sink` is called from the event loop, never from inside
  // this call.
  Informer(kube::Kind kind, Api& api, Clock& clock, InformerBackoff backoff, Sink sink);
  ~Informer();
  Informer(const Informer&) = delete;
  Informer& operator=(const Informer&) = delete;

  kube::Kind kind() const { return kind_; }
  // Lists after the first complete one.
  std::uint64_t relists() const { return relists_; }
  // What went wrong last: a failed list, the end of a stream. For logs; empty when nothing has.
  const std::string& last_trouble() const { return last_trouble_; }

 private:
  void StartList();
  void OnListed(Result<ListResult> result);
  void TakeList(std::vector<kube::Object> objects);
  void StartWatch();
  void OnWatch(WatchEvent event);
  void OnChange(WatchChange change);
  void OnEnd(const WatchEnd& end);
  void Later(void (Informer::*what)());

  const kube::Kind kind_;
  Api& api_;
  Clock& clock_;
  const InformerBackoff backoff_;
  const Sink sink_;

  std::shared_ptr<char> alive_ = std::make_shared<char>();      // callbacks that outlive us find it gone
  boost::unordered_flat_map<std::string, kube::Object> known_;  // by UID
  std::uint64_t position_ = 0;  // everything up to this version has been handed on
  std::unique_ptr<WatchHandle> watch_;
  std::uint64_t watch_number_ = 0;  // events of an older watch are not ours any more
  std::optional<Clock::Timer> timer_;
  bool listed_ = false;
  bool fruitful_ = false;  // the running watch has brought something
  int barren_ = 0;         // failed lists and empty watches in a row
  std::uint64_t relists_ = 0;
  std::string last_trouble_;
};

}  // namespace cadre::drive
