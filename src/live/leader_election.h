// LeaderElection: one process of many that acts, by a Lease that it renews; the others wait for it to run
// out.
//
// Another's lease is honoured for as long as it says, counted by our own monotonic clock from when we saw it
// change last: clocks of different machines are never compared. We lead from an accepted write on, and stop
// `renew_deadline` after the last accepted write was SENT, which is before anybody who saw that write may
// take the lease. Who has stopped does not come back: the process ends, as kube-scheduler's does.
//
// Thread rule: the event loop's thread. Bounds: one request at a time, each ends within a third of the
// deadline.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "drive/clock.h"
#include "live/lease_record.h"
#include "net/event_loop.h"
#include "net/http2_client.h"

namespace cadre::live {

// Names and defaults are client-go's.
struct LeaderElectionOptions {
  Duration lease_duration{15'000};
  Duration renew_deadline{10'000};
  Duration retry_period{2'000};
  std::string lock_namespace = "kube-system";
  std::string lock_name = "cadre-scheduler";
  std::string identity;  // of this process: no other has it
  // In [0, 1): spreads the attempts of those who wait. Empty: 0.5 always.
  std::function<double()> jitter;
};

// lease_duration > renew_deadline > 1.2 * retry_period > 0, and no name is empty.
Result<void> Check(const LeaderElectionOptions& options);

class LeaderElection {
 public:
  struct Callbacks {
    // We lead. `transitions`: how often the lease has changed hands, the epoch of what we write.
    std::function<void(std::uint64_t transitions)> on_started;
    // We lead no more. Once, and only after on_started.
    std::function<void(const std::string& why)> on_stopped;
    // Somebody leads, perhaps we: once for each.
    std::function<void(const std::string& identity)> on_leader;
    // What went wrong on the way, as a sentence for the log.
    std::function<void(const std::string& problem)> on_problem;
  };

  // Starts at once. Loop, clock and client are borrowed and must outlive it. REQUIRES: Check(options).
  LeaderElection(net::EventLoop& loop, const drive::Clock& clock, net::Http2Client& client,
                 LeaderElectionOptions options, Callbacks callbacks);
  ~LeaderElection();
  LeaderElection(const LeaderElection&) = delete;
  LeaderElection& operator=(const LeaderElection&) = delete;

  bool IsLeading() const { return state_ == State::kLeads; }

  // Lets go of the lease, so that the next one need not wait, and calls `done`, also when the server does not
  // answer. on_stopped is not called. REQUIRES: called once.
  void Release(std::function<void()> done);

 private:
  enum class State : std::uint8_t { kWaits, kLeads, kOver };

  void Attempt();
  void Read();
  void OnRead(const net::RequestEnd& end);
  void Observe(Lease lease);
  void ConsiderTaking();
  void Write(const LeaseRecord& record);
  void OnWritten(const net::RequestEnd& end, Duration sent_at);
  void AttemptLater();
  void SetDeadline(Duration sent_at);
  void Lose(const std::string& why);
  void LetGo(Lease lease, int attempts, std::function<void()> done);
  void ReadAndLetGo(int attempts, std::function<void()> done);
  void Problem(const std::string& what) const;
  net::Request Request(std::string method, std::string body) const;
  std::string Path() const;

  net::EventLoop& loop_;
  const drive::Clock& clock_;
  net::Http2Client& client_;
  const LeaderElectionOptions options_;
  const Callbacks callbacks_;
  State state_ = State::kWaits;
  std::optional<Lease> seen_;  // none: there is no lease, or it is to be read again
  bool is_absent_ = false;     // the server has said that there is none
  bool is_writing_ = false;    // a write is under way
  Duration seen_at_{0};        // when its record last changed, by the loop's clock
  LeaseRecord seen_record_;
  std::string leader_;  // whom on_leader was told of
  net::EventLoop::Timer next_{};
  net::EventLoop::Timer deadline_{};
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace cadre::live
