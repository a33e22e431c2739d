#include "live/file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace cadre::live {

Result<std::string> ReadSmallFile(const std::string& path, std::size_t most_bytes) {
  const auto why = [] { return std::generic_category().message(errno); };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rbe"));
  if (!file) return Err("{}: cannot be opened: {}", path, why());
  std::string text(most_bytes + 1, '\0');
  const std::size_t got = std::fread(text.data(), 1, text.size(), file.get());
  if (std::ferror(file.get()) != 0) return Err("{}: cannot be read: {}", path, why());
  if (got > most_bytes) return Err("{}: larger than the {} bytes that are read", path, most_bytes);
  text.resize(got);
  text.shrink_to_fit();
  return text;
}

bool Exists(const std::string& path) {
  std::error_code ignored;  // what cannot be looked at is there as far as we know
  return std::filesystem::status(path, ignored).type() != std::filesystem::file_type::not_found;
}

}  // namespace cadre::live
