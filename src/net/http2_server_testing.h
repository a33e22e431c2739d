// TestServer: an HTTP/2 server on loopback, in the process and on the loop of the test, that misbehaves on
// demand.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/event_loop.h"
#include "net/http.h"
#include "net/tls_context.h"
#include "net/url.h"

namespace cadre::net {

// A request that has arrived whole.
struct TestRequest {
  std::size_t connection = 0;  // counted from 0 in the order they were accepted
  std::int32_t stream = 0;
  std::string method;
  std::string path;
  std::string authority;
  std::vector<Header> headers;
  std::string body;
};

class TestServer {
 public:
  struct Options {
    std::shared_ptr<const TlsContext> tls{};  // null: plain, prior knowledge
    std::uint32_t max_concurrent_streams = 100;
    bool answers_pings = true;
    bool says_nothing = false;       // accepts and reads, and never sends a byte
    bool goes_away_at_once = false;  // GOAWAY after the SETTINGS of each connection
    std::string raw_reply{};         // sent to each connection instead of HTTP/2
  };

  // Listens on 127.0.0.1, on a free port.
  TestServer(EventLoop& loop, Options options);
  explicit TestServer(EventLoop& loop) : TestServer(loop, Options{}) {}
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  Url url() const;

  // Called for each request, from the loop. At first each is answered with 200 and "ok".
  std::function<void(const TestRequest&)> on_request;

  void Answer(const TestRequest& request, int status, std::vector<Header> headers, std::string body);
  // An answer in pieces: its head, any number of chunks, its end.
  void Begin(const TestRequest& request, int status, std::vector<Header> headers = {});
  void Chunk(const TestRequest& request, std::string data);
  void Finish(const TestRequest& request);
  // RST_STREAM with a code of RFC 9113 section 7.
  void Reset(const TestRequest& request, std::uint32_t code);

  // To every open connection. The first form takes on what has arrived; the second names the last stream.
  void Goaway();
  void Goaway(std::int32_t last_stream);
  void CutConnections();
  void StopReading();
  void FloodWithPings(int count);
  void LimitStreams(std::uint32_t max_concurrent_streams);
  void StopListening();

  std::size_t accepted() const;  // connections, with their handshake done
  std::size_t open() const;      // of those
  std::vector<TestRequest> requests;
  std::size_t cancelled = 0;  // streams that clients have reset with CANCEL
  std::size_t pings = 0;      // received

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace cadre::net
