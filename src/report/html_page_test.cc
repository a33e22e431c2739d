#include "report/html_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html_testing.h"

namespace cadre::report {
namespace {

using std::chrono::seconds;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using testing_html::CountOf;
using testing_html::Node;
using testing_html::Ran;
using testing_html::Small;
using testing_html::Waiting;

RunReport Mixed() {
  RunReport report = Small({Ran("a", 0, 10, 60, {"n1", "n2"}), Ran("b", 5, 60, 100, {"n3"}),
                            Waiting("x", 10, GroupState::kNever, "too big")});
  report.violations = {"node n1 is over-committed"};
  report.problems = {"jobs.yaml: document 2: no containers"};
  report.notes = {"1 pod was on the nodes already"};
  report.unknown_kinds = {{"apps/v1", "Deployment", 2, "web.yaml: document 1"}};
  return report;
}

// Every place of a report that holds text from outside.
RunReport Hostile(const std::string& text) {
  GroupRow row = Ran(text, 0, 10, 60, {text});
  row.namespace_ = text;
  row.kind = text;
  row.reason = text;
  row.domains = {{text, {text}}};
  RunReport report = Small({row});
  report.levels = {text};
  report.nodes = {Node(text, {text}), Node("other", {"other"})};
  report.nodes[0].allocatable[text] = 1;
  report.cluster.domains = {{text, 1}};
  report.utilisation = {{text, 1, 0.5, 0.5, {0.5}}};
  report.claims = {{text, {text}, text, {seconds(0), std::nullopt}}};
  report.violations = report.problems = report.notes = {text};
  report.unknown_kinds = {{text, text, 1, text}};
  return report;
}

// What the page looks like without its own style and script.
std::string WithoutAssets(std::string html) {
  const std::size_t style = html.find("<style>");
  html.erase(style, html.find("</style>") - style);
  const std::size_t script = html.find("<script>");
  return html.erase(script, html.rfind("</script>") - script);
}

TEST(HtmlPage, RefersToNothingOutsideOfItself) {
  const std::string html = ToHtml(Mixed());
  EXPECT_THAT(html, Not(HasSubstr("http://")));
  EXPECT_THAT(html, Not(HasSubstr("https://")));
  EXPECT_THAT(html, Not(ContainsRegex("src=|@import|url\\(|xlink|srcset")));
  EXPECT_EQ(CountOf("href=\"", html), CountOf("href=\"#", html) + CountOf("href=\"data:", html));
}

TEST(HtmlPage, EscapesEveryNameAndMessage) {
  const std::string html = WithoutAssets(ToHtml(Hostile("<script>alert('1')</script>")));
  EXPECT_EQ(CountOf("<script>", html), 0U);
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;"));
}

TEST(HtmlPage, LetsNoNameOutOfAnAttribute) {
  EXPECT_THAT(WithoutAssets(ToHtml(Hostile("\" onclick=\"x"))), Not(HasSubstr("\" onclick=\"x")));
}

TEST(HtmlPage, HasItsSectionsInOrder) {
  const std::string html = ToHtml(Mixed());
  std::size_t last = 0;
  for (const char* id :
       {"violations", "problems", "use", "timeline", "holders", "topology", "groups", "unknown", "notes"}) {
    const std::size_t at = html.find(fmt::format("<section id=\"{}\"", id));
    ASSERT_NE(at, std::string::npos) << id;
    EXPECT_GT(at, last) << id;
    last = at;
  }
}

TEST(HtmlPage, LeavesOutSectionsWithNothingInThem) {
  const std::string html = ToHtml(Small({Ran("a", 0, 0, 5, {"n1"})}));
  EXPECT_THAT(html, Not(HasSubstr("<section id=\"violations\"")));
  EXPECT_THAT(html, Not(HasSubstr("href=\"#violations\"")));
}

TEST(HtmlPage, SaysWhatWasSimulated) {
  EXPECT_THAT(ToHtml(Mixed()),
              HasSubstr("3 groups of 5 pods on 4 nodes (1 rack, 2 zones); 1m 40s of cluster time"));
}

TEST(HtmlPage, OfAnEmptyRunIsStillAPage) {
  EXPECT_THAT(ToHtml(RunReport{}), HasSubstr("0 groups of 0 pods on 0 nodes"));
}

TEST(HtmlPage, HasTheSameBytesForTheSameReport) {
  EXPECT_EQ(ToHtml(Mixed()), ToHtml(Mixed()));
}

TEST(HtmlPage, StaysWithinItsBoundForTenThousandGroupsOnAThousandNodes) {
  RunReport report = Small({});
  report.nodes.clear();
  for (int i = 0; i < 1'000; ++i)
    report.nodes.push_back(Node(fmt::format("node-{:0>100}", i),
                                {fmt::format("zone-{:0>50}", i / 100), fmt::format("rack-{:0>50}", i / 10)}));
  for (int i = 0; i < 10'000; ++i) {
    std::vector<std::string> nodes;
    for (int n = 0; n < 16; ++n)
      nodes.push_back(report.nodes[static_cast<std::size_t>((i * 7 + n) % 1'000)].name);
    std::sort(nodes.begin(), nodes.end());
    report.groups.push_back(Ran(fmt::format("train-{:0>100}", i), i / 120, i / 120 + 5, i / 120 + 15, nodes));
    report.groups.back().reason =
        std::string(2'000, '"');  // the character that grows most when it is escaped
    report.groups.back().domains = {{testing_html::kZone, {std::string(60, 'z')}},
                                    {testing_html::kRack, {std::string(60, 'r')}}};
  }
  for (int i = 0; i < 10'000; ++i)
    report.claims.push_back(
        {testing_html::kRack, report.nodes[0].path, std::string(500, '"'), {seconds(0), seconds(9)}});
  report.problems.assign(10'000, std::string(1'000, '"'));
  report.end = seconds(100);
  EXPECT_LT(ToHtml(report).size(), kLargestHtmlBytes);
}

}  // namespace
}  // namespace cadre::report
