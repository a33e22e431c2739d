// The Transport over a stream of Asio's (a TCP socket, or TLS on one). Slow to compile: for .cc files only.
#pragma once

#include <array>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include "net/transport.h"

namespace cadre::net {

using TcpStream = boost::asio::ip::tcp::socket;
using TlsStream = boost::asio::ssl::stream<TcpStream>;

inline Error StreamError(const boost::system::error_code& error) {
  if (error == boost::asio::error::eof || error == boost::asio::ssl::error::stream_truncated)
    return {"the peer closed the connection"};
  return {error.message()};
}

// The buffers live here and not with the caller: an operation under way keeps them until it has ended,
// however early the transport is closed.
template <class Stream>
class StreamState : public std::enable_shared_from_this<StreamState<Stream>> {
 public:
  explicit StreamState(Stream stream) : stream_(std::move(stream)) {}

  void Read(std::function<void(Result<std::string_view>)> done) {
    stream_.async_read_some(boost::asio::buffer(in_),
                            [self = this->shared_from_this(), done = std::move(done)](
                                const boost::system::error_code& error, std::size_t size) {
                              if (self->closed_) return;
                              if (error) return done(std::unexpected(StreamError(error)));
                              done(std::string_view(self->in_.data(), size));
                            });
  }

  void Write(std::string& bytes, std::function<void(Result<void>)> done) {
    out_.swap(bytes);
    bytes.clear();
    boost::asio::async_write(stream_, boost::asio::buffer(out_),
                             [self = this->shared_from_this(), done = std::move(done)](
                                 const boost::system::error_code& error, std::size_t) {
                               if (self->closed_) return;
                               if (error) return done(std::unexpected(StreamError(error)));
                               done({});
                             });
  }

  void Close() {
    closed_ = true;
    boost::system::error_code error;  // of no interest: nobody waits for more on a closed stream
    error = stream_.lowest_layer().close(error);
  }

 private:
  Stream stream_;
  bool closed_ = false;
  std::array<char, Transport::kReadBytes> in_{};
  std::string out_;
};

template <class Stream>
class StreamTransport : public Transport {
 public:
  explicit StreamTransport(Stream stream)
      : state_(std::make_shared<StreamState<Stream>>(std::move(stream))) {}
  ~StreamTransport() override { state_->Close(); }
  StreamTransport(const StreamTransport&) = delete;
  StreamTransport& operator=(const StreamTransport&) = delete;

  void Read(std::function<void(Result<std::string_view>)> done) override { state_->Read(std::move(done)); }
  void Write(std::string& bytes, std::function<void(Result<void>)> done) override {
    state_->Write(bytes, std::move(done));
  }
  void Close() override { state_->Close(); }

 private:
  std::shared_ptr<StreamState<Stream>> state_;
};

}  // namespace cadre::net
