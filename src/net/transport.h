// Transport: a connected stream of bytes, over TCP or TLS, as HTTP sees it. For the files of this folder.
//
// Thread rule: the loop's thread. No callback runs from inside a call, and none after Close or the
// destructor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/event_loop.h"
#include "net/tls_context.h"

namespace cadre::net {

class Transport {
 public:
  static constexpr std::size_t kReadBytes = std::size_t{64} << 10;

  virtual ~Transport() = default;

  // Hands over the next bytes, at least 1 and at most kReadBytes; the view is good until the next Read. An
  // error when the peer has closed, too. REQUIRES: no other Read is under way.
  virtual void Read(std::function<void(Result<std::string_view>)> done) = 0;

  // Writes all of `bytes`, and leaves in their place an empty string with memory to write into.
  // REQUIRES: no other Write is under way; not empty.
  virtual void Write(std::string& bytes, std::function<void(Result<void>)> done) = 0;

  // At once: what was not written yet is lost.
  virtual void Close() = 0;
};

struct Endpoint {
  std::string host;  // name or address, an IPv6 address without brackets
  std::uint16_t port = 0;
  std::shared_ptr<const TlsContext> tls;  // null: plain TCP
};

// "host:port", for messages.
std::string EndpointText(const Endpoint& endpoint);

// A connection being made; dropping it stops it, and nothing is called back.
class Connecting {
 public:
  virtual ~Connecting() = default;
};

// Looks the name up, connects to its addresses one after the other until one answers, and shakes hands; over
// TLS the peer must agree to speak HTTP/2. Calls `done` once. Sets no time limit: who calls drops the result
// when it takes too long. A lookup that hangs cannot be stopped and delays the end of the loop.
std::unique_ptr<Connecting> Connect(EventLoop& loop, Endpoint endpoint,
                                    std::function<void(Result<std::unique_ptr<Transport>>)> done);

}  // namespace cadre::net
