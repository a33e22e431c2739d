#include "kube/gzip.h"

#include <algorithm>
#include <limits>

#include <zlib.h>

#include "base/check.h"
#include "base/text.h"

namespace cadre::kube {
namespace {

constexpr std::string_view kMagic = "\x1f\x8b";
constexpr int kGzipOnly = 16 + MAX_WBITS;  // zlib's way to ask for a gzip header

// Owns zlib's state.
class Inflater {
 public:
  Inflater() {
    const int result = inflateInit2(&stream_, kGzipOnly);
    CADRE_ASSERT(result == Z_OK, "zlib cannot be initialised");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

// Appends one member of the file to `out` and takes it off `bytes`.
Result<void> InflateMember(std::string_view& bytes, std::size_t limit, std::string& out) {
  Inflater inflater;
  z_stream& stream = inflater.stream();
  std::size_t used = out.size();
  while (true) {
    if (stream.avail_in == 0) {
      const std::size_t piece = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
      // zlib only reads it; its type lacks the const.
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(piece);
      bytes.remove_prefix(piece);
    }
    constexpr std::size_t kGrowth = std::size_t{1} << 20;
    out.resize(used + kGrowth);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    stream.avail_out = static_cast<uInt>(kGrowth);
    const int result = inflate(&stream, Z_NO_FLUSH);
    used = out.size() - stream.avail_out;
    out.resize(used);
    if (used > limit)
      return Err("larger than {} unpacked, which is the limit",
                 FormatBytes(static_cast<std::int64_t>(limit)));
    if (result == Z_STREAM_END) {
      const char* rest = reinterpret_cast<const char*>(stream.next_in);
      bytes = std::string_view(rest, stream.avail_in + bytes.size());
      return {};
    }
    if (result == Z_BUF_ERROR ||
        (result == Z_OK && stream.avail_in == 0 && bytes.empty() && stream.avail_out > 0)) {
      return Err("the gzip file is cut off: it ends in the middle of its data");
    }
    if (result != Z_OK)
      return Err("broken gzip file: {}", stream.msg != nullptr ? stream.msg : "unknown reason");
  }
}

}  // namespace

bool IsGzip(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

Result<std::string> Gunzip(std::string_view bytes, std::size_t limit) {
  std::string out;
  while (IsGzip(bytes)) {
    if (Result<void> member = InflateMember(bytes, limit, out); !member)
      return std::unexpected(member.error());
  }
  // Zeros are padding; anything else would be dropped silently.
  if (bytes.find_first_not_of('\0') != std::string_view::npos) {
    return Err("the gzip file has {} bytes after its end that are not gzip", bytes.size());
  }
  return out;
}

}  // namespace cadre::kube
