#include "kube/manifest.h"

#include <cstdio>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "kube/job.h"
#include "kube/pod.h"
#include "kube/test_support.h"

namespace cadre::kube {
namespace {

using ::testing::StartsWith;

namespace fs = std::filesystem;

Manifests Load(std::string_view text) {
  Manifests manifests;
  LoadText(text, "test.yaml", manifests);
  return manifests;
}

std::vector<std::string> Names(const Manifests& manifests) {
  std::vector<std::string> names;
  for (const LoadedObject& loaded : manifests.objects)
    names.push_back(Describe(loaded.object));
  return names;
}

using Texts = std::vector<std::string>;

TEST(LoadText, ReadsManyYamlDocumentsInTheirOrder) {
  const Manifests manifests = Load(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: b}\n"
      "---\n"
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, namespace: team}\n");
  EXPECT_EQ(Names(manifests), (Texts{"Pod default/b", "Job team/a"}));
}

TEST(LoadText, TellsDocumentAndLine) {
  const Manifests manifests = Load("kind: Pod\napiVersion: v1\n---\n\n# second\nkind: Pod\napiVersion: v1\n");
  ASSERT_EQ(manifests.objects.size(), 2U);
  EXPECT_EQ(manifests.objects[1].source.file, "test.yaml");
  EXPECT_EQ(manifests.objects[1].source.document, 2U);
  EXPECT_EQ(manifests.objects[1].source.line, 6U);
}

TEST(LoadText, DocumentsOfCommentsOrNothingAreNone) {
  const Manifests manifests = Load("# licence\n---\n---\n# more\n---\nkind: Pod\napiVersion: v1\n---\n");
  ASSERT_EQ(manifests.objects.size(), 1U);
  EXPECT_EQ(manifests.objects[0].source.document, 1U);
  EXPECT_TRUE(manifests.problems.empty());
}

TEST(LoadText, AnEmptyFileHoldsNothing) {
  const Manifests manifests = Load("");
  EXPECT_TRUE(manifests.objects.empty() && manifests.unknown.empty() && manifests.problems.empty());
}

TEST(LoadText, ReadsJson) {
  EXPECT_EQ(Names(Load(R"( {"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}} )")),
            Texts{"Pod default/a"});
}

TEST(LoadText, ReadsJsonDocumentsThatFollowEachOther) {
  const Manifests manifests = Load(
      "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\"}}\n"
      "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"b\"}}\n");
  EXPECT_EQ(Names(manifests), (Texts{"Node a", "Node b"}));
  EXPECT_EQ(manifests.objects[1].source.document, 2U);
}

TEST(LoadText, ReadsYamlAfterJson) {
  const Manifests manifests = Load(
      "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\n\"metadata\":{\"name\":\"a\"}}\n"
      "---\napiVersion: v1\nkind: Node\nmetadata: {name: b}\n");
  EXPECT_EQ(Names(manifests), (Texts{"Node a", "Node b"}));
  EXPECT_EQ(manifests.objects[1].source.line, 4U);
}

TEST(LoadText, AByteOrderMarkIsSkipped) {
  EXPECT_EQ(Names(Load("\xef\xbb\xbf"
                       "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n")),
            Texts{"Node a"});
}

TEST(LoadText, AnUnknownKindIsCountedAndNamed) {
  const Manifests manifests = Load("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n");
  ASSERT_EQ(manifests.unknown.size(), 1U);
  EXPECT_EQ(manifests.unknown[0].api_version, "apps/v1");
  EXPECT_EQ(manifests.unknown[0].kind, "Deployment");
  EXPECT_EQ(manifests.unknown[0].name, "web");
  EXPECT_TRUE(manifests.problems.empty());
}

TEST(LoadText, AKnownKindOfAnUnknownVersionIsUnknown) {
  EXPECT_EQ(Load("apiVersion: jobset.x-k8s.io/v1alpha1\nkind: JobSet\n").unknown.at(0).api_version,
            "jobset.x-k8s.io/v1alpha1");
}

TEST(LoadText, NamespacedObjectsWithoutANamespaceAreInDefaultAlsoInTheirJson) {
  const Manifests manifests = Load("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n");
  EXPECT_EQ(manifests.objects.at(0).object.Meta().namespace_, "default");
  EXPECT_EQ(manifests.objects.at(0).object.raw->at("metadata").at("namespace"), "default");
}

TEST(LoadText, AListIsOpened) {
  const Manifests manifests = Load(R"(
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Pod, metadata: {name: a}}
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: d}}
- {apiVersion: batch/v1, kind: Job, metadata: {name: j}}
)");
  EXPECT_EQ(Names(manifests), (Texts{"Pod default/a", "Job default/j"}));
  EXPECT_EQ(manifests.unknown.size(), 1U);
  EXPECT_EQ(manifests.objects.at(1).source.line, 7U);
}

TEST(LoadText, ItemsOfATypedListHaveItsType) {
  const Manifests manifests = Load(
      R"({"apiVersion":"batch/v1","kind":"JobList","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})");
  EXPECT_EQ(Names(manifests), (Texts{"Job default/a", "Job default/b"}));
  EXPECT_EQ(manifests.objects[0].object.raw->at("kind"), "Job");
}

TEST(LoadText, ItemsOfATypedListOfAnUnknownKindAreUnknown) {
  EXPECT_EQ(Load(R"({"apiVersion":"apps/v1","kind":"DeploymentList","items":[{"metadata":{"name":"a"}}]})")
                .unknown.at(0)
                .kind,
            "Deployment");
}

TEST(LoadText, AnEmptyListMayBeNull) {
  const Manifests manifests = Load(R"({"apiVersion":"v1","kind":"PodList","items":null})");
  EXPECT_TRUE(manifests.objects.empty() && manifests.unknown.empty() && manifests.problems.empty());
}

TEST(LoadText, AListInAListIsOpenedToo) {
  EXPECT_EQ(Names(Load(R"({"apiVersion":"v1","kind":"List","items":[
      {"apiVersion":"v1","kind":"NodeList","items":[{"metadata":{"name":"a"}}]}]})")),
            Texts{"Node a"});
}

TEST(LoadText, ListsInListsWithoutEndAreAProblem) {
  std::string nested = R"({"apiVersion":"v1","kind":"List","items":[]})";
  for (int i = 0; i < 8; ++i)
    nested = R"({"apiVersion":"v1","kind":"List","items":[)" + nested + "]}";
  EXPECT_EQ(
      ProblemsOf(nested),
      "test.yaml: document 1: items[0].items[0].items[0].items[0]: Lists inside Lists, more than 4 deep\n");
}

TEST(LoadText, AKindThatOnlyEndsInListIsAnObject) {
  EXPECT_EQ(Load("apiVersion: example.com/v1\nkind: AllowList\nspec: {}\n").unknown.at(0).kind, "AllowList");
}

TEST(Problems, AWrongTypeNamesFileDocumentLineFieldAndObject) {
  EXPECT_EQ(
      ProblemsOf(
          "kind: Pod\napiVersion: v1\n---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: j\nspec:\n"
          "  completions: 2\n  parallelism: two\n"),
      "test.yaml: document 2, line 10: spec.parallelism: found \"two\", expected a whole number (in Job "
      "default/j)\n");
}

TEST(Problems, AWrongTypeInAListNamesTheItem) {
  EXPECT_EQ(
      ProblemsOf("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a},\n"
                 "   spec: {priority: x}}\n"),
      "test.yaml: document 1, line 5: items[0].spec.priority: found \"x\", expected a whole number (in Pod "
      "default/a)\n");
}

TEST(Problems, OneBrokenDocumentDoesNotHideTheOthers) {
  const Manifests manifests = Load("a: [1\n---\napiVersion: v1\nkind: Node\nmetadata: {name: a}\n");
  EXPECT_EQ(manifests.problems.size(), 1U);
  EXPECT_EQ(Names(manifests), Texts{"Node a"});
}

TEST(Problems, ADuplicateKeyIsOne) {
  EXPECT_EQ(ProblemsOf("apiVersion: v1\nkind: Pod\nkind: Job\n"),
            "test.yaml: document 1, line 3: the key \"kind\" is there twice in one map: remove one\n");
}

TEST(Problems, AValuesFileIsNoObject) {
  EXPECT_EQ(ProblemsOf("replicas: 3\n"),
            "test.yaml: document 1, line 1: not a Kubernetes object: apiVersion and kind missing\n");
}

TEST(Problems, AListAtTheTopIsNoObject) {
  EXPECT_EQ(
      ProblemsOf("- a\n"),
      "test.yaml: document 1, line 1: found a list, expected a Kubernetes object (a map with apiVersion and "
      "kind)\n");
}

TEST(Problems, ATextAtTheTopIsNoObject) {
  EXPECT_EQ(ProblemsOf("hello\n"),
            "test.yaml: document 1, line 1: found a single value, expected a Kubernetes object (a map with "
            "apiVersion "
            "and kind)\n");
}

class Templates : public testing::TestWithParam<std::string> {};

TEST_P(Templates, AreRecognised) {
  EXPECT_NE(ProblemsOf(GetParam()).find("looks like a template with placeholders: render it first"),
            std::string::npos)
      << ProblemsOf(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Table, Templates,
    testing::Values("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Values.name }}\n",
                    "{{- if .Values.enabled }}\napiVersion: v1\nkind: Pod\n{{- end }}\n",
                    "{% for i in jobs %}\napiVersion: v1\n{% endfor %}\n",
                    "apiVersion: v1\nkind: {{ kind }}\n",
                    "apiVersion: batch/v1\nkind: Job\nspec: {parallelism: \"${N}\"}\n",
                    "apiVersion: batch/v1\nkind: Job\nspec: {parallelism: <number of pods>}\n",
                    "{\"apiVersion\": \"v1\", \"kind\": {{ kind }} }\n"));

TEST(Problems, BrokenJsonNamesTheLine) {
  EXPECT_EQ(ProblemsOf("{\"apiVersion\": \"v1\",\n\"kind\": Pod}\n"),
            "test.yaml: document 1, line 2: not valid JSON: syntax error\n");
}

TEST(Problems, CutJsonIsOne) {
  EXPECT_EQ(ProblemsOf("{\"apiVersion\": \"v1\","),
            "test.yaml: document 1, line 1: not valid JSON: incomplete JSON\n");
}

TEST(Problems, JsonNestedTooDeepIsOne) {
  EXPECT_EQ(ProblemsOf("{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}"),
            "test.yaml: document 1, line 1: not valid JSON: too deep\n");
}

TEST(Problems, BinaryFilesAreOne) {
  EXPECT_EQ(ProblemsOf(std::string_view("PK\0\3", 4)),
            "test.yaml: document 1, line 1: this is not UTF-8 text: expected YAML, JSON, or either of them "
            "gzipped\n");
}

TEST(Problems, TextThatIsNotUtf8IsOneWithLineAndOffset) {
  EXPECT_THAT(ProblemsOf("a: 1\nb: caf\xe9\n"),
              StartsWith("test.yaml: line 2: byte 0xe9 at offset 11 is not UTF-8"));
}

TEST(Problems, JsonThatIsNotUtf8IsOne) {
  EXPECT_THAT(ProblemsOf("{\"a\":\n\"\xff\"}"),
              StartsWith("test.yaml: line 2: byte 0xff at offset 7 is not UTF-8"));
}

TEST(Problems, TheByteOrderMarkCountsInTheOffset) {
  EXPECT_THAT(ProblemsOf("\xef\xbb\xbf"
                         "a: \xff"),
              StartsWith("test.yaml: line 1: byte 0xff at offset 6 is not UTF-8"));
}

TEST(Problems, Utf16IsOneWithAHint) {
  EXPECT_THAT(ProblemsOf(std::string_view("\xff\xfek\0i\0", 6)),
              ::testing::HasSubstr("iconv -f UTF-16 -t UTF-8"));
}

TEST(Problems, ABrokenGzipFileIsOne) {
  EXPECT_EQ(ProblemsOf("\x1f\x8b"
                       "oops")
                .substr(0, 34),
            "test.yaml: broken gzip file: unkno");
}

// A folder of its own, gone at the end.
class LoadPaths : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = (fs::temp_directory_path() / "cadre-manifest-XXXXXX").string();
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    folder_ = path;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path Write(const std::string& name, std::string_view text) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  static std::string Node(const std::string& name) {
    return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name + "}\n";
  }

  fs::path folder_;
};

TEST_F(LoadPaths, AFileIsReadWhateverItsName) {
  Manifests manifests;
  LoadPath(Write("nodes.txt", Node("a")), manifests);
  EXPECT_EQ(Names(manifests), Texts{"Node a"});
}

TEST_F(LoadPaths, AFolderIsReadInOrderOfNamesAndToItsBottom) {
  Write("b.yaml", Node("b"));
  Write("a.yml", Node("a"));
  Write("deep/er/c.json", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"c"}})");
  Write("notes.txt", "not a manifest");
  Manifests manifests;
  LoadPath(folder_, manifests);
  EXPECT_EQ(Names(manifests), (Texts{"Node a", "Node b", "Node c"}));
  EXPECT_TRUE(manifests.problems.empty());
}

TEST_F(LoadPaths, GzipIsUnpacked) {
  const fs::path path = folder_ / "nodes.yaml.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  const std::string text = Node("a");
  EXPECT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  gzclose(file);
  Manifests manifests;
  LoadPath(folder_, manifests);
  EXPECT_EQ(Names(manifests), Texts{"Node a"});
}

TEST_F(LoadPaths, AFileThatIsNotThereIsAProblem) {
  Manifests manifests;
  LoadPath(folder_ / "missing.yaml", manifests);
  ASSERT_EQ(manifests.problems.size(), 1U);
  EXPECT_EQ(ToString(manifests.problems[0]),
            (folder_ / "missing.yaml").string() + ": cannot be opened: check that it exists and can be read");
}

TEST_F(LoadPaths, AFolderWithoutManifestsIsAProblem) {
  Manifests manifests;
  LoadPath(folder_, manifests);
  ASSERT_EQ(manifests.problems.size(), 1U);
  EXPECT_EQ(ToString(manifests.problems[0]),
            folder_.string() + ": the folder holds no *.yaml, *.yml, *.json or *.gz file");
}

}  // namespace
}  // namespace cadre::kube
