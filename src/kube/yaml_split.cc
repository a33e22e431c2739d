#include "kube/yaml.h"

namespace cadre::kube {
namespace {

// "---" or "..." alone at the start of a line, maybe with something after a space.
bool IsMarker(std::string_view line, std::string_view marker) {
  return line.starts_with(marker) &&
         (line.size() == marker.size() ||
          std::string_view(" \t\r").find(line[marker.size()]) != std::string_view::npos);
}

}  // namespace

// Inside a document no line may start with a marker: that ends it even in quotes and block scalars
// (YAML 1.2, 9.1.2).
std::vector<YamlChunk> SplitYaml(std::string_view stream) {
  std::vector<YamlChunk> chunks;
  std::size_t begin = 0;  // of the chunk
  std::size_t first_line = 1;
  std::size_t line_number = 1;
  const auto end_chunk = [&](std::size_t at, std::size_t next_line) {
    if (at > begin) chunks.push_back({stream.substr(begin, at - begin), first_line});
    begin = at;
    first_line = next_line;
  };
  for (std::size_t at = 0; at < stream.size(); ++line_number) {
    const std::size_t newline = stream.find('\n', at);
    const std::size_t next = newline == std::string_view::npos ? stream.size() : newline + 1;
    const std::string_view line =
        stream.substr(at, newline == std::string_view::npos ? newline : newline - at);
    if (IsMarker(line, "---")) end_chunk(at, line_number);
    if (IsMarker(line, "...")) end_chunk(next, line_number + 1);
    at = next;
  }
  end_chunk(stream.size(), line_number);
  return chunks;
}

}  // namespace cadre::kube
