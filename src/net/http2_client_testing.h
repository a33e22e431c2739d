// What the tests of the HTTP/2 client share: a loop, a server, a client, and waiting for what happens.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/certificate_testing.h"
#include "net/event_loop.h"
#include "net/http2_client.h"
#include "net/http2_server_testing.h"

namespace cadre::net {

inline Request Get(std::string path) {
  Request request;
  request.path = std::move(path);
  return request;
}

inline Request Post(std::string path, std::string body) {
  Request request = Get(std::move(path));
  request.method = "POST";
  request.body = std::move(body);
  return request;
}

// Where the end of a request arrives.
struct Answered {
  std::vector<RequestEnd> ends;

  bool has_value() const { return !ends.empty(); }
  std::function<void(RequestEnd)> Here() {
    return [this](RequestEnd end) { ends.push_back(std::move(end)); };
  }
};

class Http2ClientTest : public testing::Test {
 protected:
  // Sanitizers on a busy machine are slow; only a test that fails waits this long.
  static constexpr Duration kLong{20'000};

  void StartServer(TestServer::Options options = {}) {
    server_ = std::make_unique<TestServer>(loop_, std::move(options));
  }
  // Of the plain server that is running.
  void StartClient() { client_ = std::make_unique<Http2Client>(loop_, server_->url(), nullptr, options_); }
  void Start(TestServer::Options options = {}) {
    StartServer(std::move(options));
    StartClient();
  }

  // Runs the loop until it holds.
  template <class Condition>
  [[nodiscard]] bool Until(Condition condition) {
    const Duration end = loop_.Now() + kLong;
    while (!condition() && loop_.Now() < end)
      loop_.RunOne(Duration{100});
    return condition();
  }
  [[nodiscard]] bool UntilRequests(std::size_t count) {
    return Until([&] { return server_->requests.size() >= count; });
  }
  // Runs what is ready.
  void Settle() {
    while (loop_.RunOne(Duration{0})) {
    }
  }

  // The end of one request, which must come.
  RequestEnd Ask(Request request) {
    Answered answered;
    client_->Send(std::move(request), answered.Here());
    return Wait(answered);
  }
  RequestEnd Wait(const Answered& answered) {
    if (!Until([&] { return answered.has_value(); }))
      return std::unexpected(Failure{FailureKind::kUnknown, false, "the test has waited in vain"});
    return answered.ends.front();
  }
  // Requests stay unanswered; the test finds them in server_->requests.
  void HoldRequests() {
    server_->on_request = [](const TestRequest&) {};
  }

  EventLoop loop_;
  Http2ClientOptions options_;
  std::unique_ptr<TestServer> server_;
  std::unique_ptr<Http2Client> client_;
};

MATCHER_P2(IsResponse, status, body, "") {
  if (!arg) {
    *result_listener << "failed: " << arg.error().message;
    return false;
  }
  *result_listener << arg->status << " \"" << arg->body.substr(0, 100) << '"';
  return arg->status == status && arg->body == body;
}

// A failure of this kind, whose request was sent or not, whose message holds a text.
MATCHER_P3(IsFailure, kind, sent, text, "") {
  if (arg) {
    *result_listener << "response " << arg->status;
    return false;
  }
  const Failure& failure = arg.error();
  *result_listener << FailureKindText(failure.kind) << (failure.sent ? ", sent" : ", not sent") << ": "
                   << failure.message;
  return failure.kind == kind && failure.sent == sent && failure.message.find(text) != std::string::npos;
}

}  // namespace cadre::net
