#include "kube/resources.h"

#include <gtest/gtest.h>

#include "kube/pod.h"
#include "kube/test_support.h"

namespace cadre::kube {
namespace {

Container Asking(ResourceList requests, bool sidecar = false) {
  Container container;
  container.name = "c";
  container.requests = std::move(requests);
  container.restart_always = sidecar;
  return container;
}

std::int64_t Cpu(const ResourceList& list) {
  const auto found = list.find("cpu");
  return found == list.end() ? 0 : found->second;
}

TEST(PodRequests, ContainersAddUp) {
  PodSpec spec;
  spec.containers = {Asking({{"cpu", 100}}), Asking({{"cpu", 250}, {"memory", 7}})};
  EXPECT_EQ(PodRequests(spec), (ResourceList{{"cpu", 350}, {"memory", 7}, {"pods", 1}}));
}

TEST(PodRequests, EveryPodTakesOneOfPods) {
  EXPECT_EQ(PodRequests(PodSpec{}), (ResourceList{{"pods", 1}}));
}

TEST(PodRequests, TheLargestInitContainerCountsWhenItIsMoreThanAllContainers) {
  PodSpec spec;
  spec.init_containers = {Asking({{"cpu", 500}}), Asking({{"cpu", 900}})};
  spec.containers = {Asking({{"cpu", 400}}), Asking({{"cpu", 300}})};
  EXPECT_EQ(Cpu(PodRequests(spec)), 900);
}

TEST(PodRequests, InitContainersDoNotCountWhenTheContainersNeedMore) {
  PodSpec spec;
  spec.init_containers = {Asking({{"cpu", 500}})};
  spec.containers = {Asking({{"cpu", 400}}), Asking({{"cpu", 300}})};
  EXPECT_EQ(Cpu(PodRequests(spec)), 700);
}

TEST(PodRequests, SidecarsRunBesideTheContainers) {
  PodSpec spec;
  spec.init_containers = {Asking({{"cpu", 50}}, true)};
  spec.containers = {Asking({{"cpu", 400}})};
  EXPECT_EQ(Cpu(PodRequests(spec)), 450);
}

TEST(PodRequests, AnInitContainerRunsBesideTheSidecarsStartedBeforeIt) {
  PodSpec spec;
  spec.init_containers = {Asking({{"cpu", 50}}, true), Asking({{"cpu", 900}})};
  spec.containers = {Asking({{"cpu", 400}})};
  EXPECT_EQ(Cpu(PodRequests(spec)), 950);
}

TEST(PodRequests, AnInitContainerDoesNotWaitForSidecarsStartedAfterIt) {
  PodSpec spec;
  spec.init_containers = {Asking({{"cpu", 900}}), Asking({{"cpu", 50}}, true)};
  spec.containers = {Asking({{"cpu", 400}})};
  EXPECT_EQ(Cpu(PodRequests(spec)), 900);
}

TEST(PodRequests, TheMaximumIsTakenPerResource) {
  PodSpec spec;
  spec.init_containers = {Asking({{"cpu", 900}, {"memory", 1}})};
  spec.containers = {Asking({{"cpu", 400}, {"memory", 5}})};
  EXPECT_EQ(PodRequests(spec), (ResourceList{{"cpu", 900}, {"memory", 5}, {"pods", 1}}));
}

TEST(PodRequests, OverheadComesOnTop) {
  PodSpec spec;
  spec.containers = {Asking({{"cpu", 400}})};
  spec.overhead = {{"cpu", 10}, {"memory", 3}};
  EXPECT_EQ(PodRequests(spec), (ResourceList{{"cpu", 410}, {"memory", 3}, {"pods", 1}}));
}

TEST(PodRequests, PodLevelRequestsReplaceTheSum) {
  PodSpec spec;
  spec.containers = {Asking({{"cpu", 400}, {"memory", 5}})};
  spec.pod_requests = {{"cpu", 1000}};
  EXPECT_EQ(PodRequests(spec), (ResourceList{{"cpu", 1000}, {"memory", 5}, {"pods", 1}}));
}

TEST(PodRequests, OverheadComesOnTopOfPodLevelRequestsToo) {
  PodSpec spec;
  spec.containers = {Asking({{"cpu", 400}})};
  spec.pod_requests = {{"cpu", 1000}};
  spec.overhead = {{"cpu", 10}};
  EXPECT_EQ(Cpu(PodRequests(spec)), 1010);
}

TEST(PodRequests, ExtendedResourcesHaveNoPodLevel) {
  PodSpec spec;
  spec.containers = {Asking({{"nvidia.com/gpu", 2}})};
  spec.pod_requests = {{"nvidia.com/gpu", 8}};
  EXPECT_EQ(PodRequests(spec).at("nvidia.com/gpu"), 2);
}

TEST(PodRequests, SumsSaturateInsteadOfWrapping) {
  PodSpec spec;
  spec.containers = {Asking({{"memory", INT64_MAX}}), Asking({{"memory", INT64_MAX}})};
  EXPECT_EQ(PodRequests(spec).at("memory"), INT64_MAX);
}

Pod Resized(std::int64_t spec, std::int64_t allocated, std::int64_t actual) {
  Pod pod;
  pod.spec.containers = {Asking({{"cpu", spec}})};
  ContainerStatus status;
  status.name = "c";
  status.allocated = {{"cpu", allocated}};
  status.actual = {{"cpu", actual}};
  pod.status.container_statuses = {status};
  return pod;
}

TEST(PodRequests, AResizeUpCountsBeforeTheNodeHasDoneIt) {
  EXPECT_EQ(Cpu(PodRequests(Resized(900, 500, 500))), 900);
}
TEST(PodRequests, AResizeDownCountsOnlyOnceTheContainerRunsSmaller) {
  EXPECT_EQ(Cpu(PodRequests(Resized(100, 100, 500))), 500);
}
TEST(PodRequests, WhatTheNodeHasSetAsideCounts) {
  EXPECT_EQ(Cpu(PodRequests(Resized(100, 700, 500))), 700);
}

TEST(PodRequests, AnInfeasibleResizeDoesNotCount) {
  Pod pod = Resized(900, 500, 400);
  pod.status.resize_infeasible = true;
  EXPECT_EQ(Cpu(PodRequests(pod)), 500);
}

TEST(PodRequests, TheSpecCountsUntilTheNodeReports) {
  Pod pod = Resized(900, 0, 0);
  pod.status.container_statuses.front().allocated.clear();
  pod.status.container_statuses.front().actual.clear();
  EXPECT_EQ(Cpu(PodRequests(pod)), 900);
}

TEST(PodRequests, AnInitContainerThatRunsOnceIsNotResized) {
  Pod pod = Resized(100, 700, 700);
  std::swap(pod.spec.init_containers, pod.spec.containers);
  EXPECT_EQ(Cpu(PodRequests(pod)), 100);
}

TEST(PodRequests, AResizedSidecarCounts) {
  Pod pod = Resized(100, 700, 700);
  std::swap(pod.spec.init_containers, pod.spec.containers);
  pod.spec.init_containers.front().restart_always = true;
  EXPECT_EQ(Cpu(PodRequests(pod)), 700);
}

TEST(PodRequests, AResizeOfThePodAsAWholeCounts) {
  Pod pod;
  pod.spec.pod_requests = {{"cpu", 500}};
  pod.status.pod_actual = {{"cpu", 800}};
  EXPECT_EQ(Cpu(PodRequests(pod)), 800);
}

TEST(DefaultRequests, ALimitWithoutARequestIsTheRequest) {
  PodSpec spec;
  spec.containers = {Container()};
  spec.containers.front().limits = {{"nvidia.com/gpu", 8}};
  DefaultRequests(spec);
  EXPECT_EQ(spec.containers.front().requests, (ResourceList{{"nvidia.com/gpu", 8}}));
}

TEST(DefaultRequests, ARequestIsKept) {
  PodSpec spec;
  spec.containers = {Asking({{"cpu", 100}})};
  spec.containers.front().limits = {{"cpu", 400}, {"memory", 5}};
  DefaultRequests(spec);
  EXPECT_EQ(spec.containers.front().requests, (ResourceList{{"cpu", 100}, {"memory", 5}}));
}

TEST(DefaultRequests, InitContainersAreDefaultedToo) {
  PodSpec spec;
  spec.init_containers = {Container()};
  spec.init_containers.front().limits = {{"cpu", 400}};
  DefaultRequests(spec);
  EXPECT_EQ(spec.init_containers.front().requests, (ResourceList{{"cpu", 400}}));
}

TEST(DefaultRequests, APodLimitIsThePodRequestWhenNoContainerAsks) {
  PodSpec spec;
  spec.containers = {Container()};
  spec.pod_limits = {{"cpu", 2000}};
  DefaultRequests(spec);
  EXPECT_EQ(spec.pod_requests, (ResourceList{{"cpu", 2000}}));
}

TEST(DefaultRequests, WithAPodLimitThePodRequestIsTheSumOfTheContainersThatAsk) {
  PodSpec spec;
  spec.containers = {Asking({{"cpu", 300}}), Asking({{"cpu", 400}})};
  spec.pod_limits = {{"cpu", 2000}};
  DefaultRequests(spec);
  EXPECT_EQ(spec.pod_requests, (ResourceList{{"cpu", 700}}));
}

TEST(DefaultRequests, WithoutPodLevelResourcesThereStayNone) {
  PodSpec spec;
  spec.containers = {Asking({{"cpu", 300}})};
  DefaultRequests(spec);
  EXPECT_TRUE(spec.pod_requests.empty());
}

TEST(DefaultRequests, HugePagesOfContainersBecomeThePodsWhenItHasPodLevelResources) {
  PodSpec spec;
  spec.containers = {Container()};
  spec.containers.front().limits = {{"hugepages-2Mi", 4}};
  spec.pod_limits = {{"cpu", 2000}};
  DefaultRequests(spec);
  EXPECT_EQ(spec.pod_requests.at("hugepages-2Mi"), 4);
}

}  // namespace
}  // namespace cadre::kube
