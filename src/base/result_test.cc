#include "base/result.h"

#include <memory>

#include <gtest/gtest.h>

namespace cadre {
namespace {

Result<int> Half(int number) {
  if (number % 2 != 0) return Err("{} is odd", number);
  return number / 2;
}

Result<int> Quarter(int number) {
  CADRE_TRY(const int half, Half(number));
  CADRE_TRY(const int quarter, Half(half));
  return quarter;
}

Result<void> MustBeEven(int number) {
  CADRE_TRY_VOID(Half(number));
  return {};
}

Result<std::unique_ptr<int>> Boxed(int number) {
  return std::make_unique<int>(number);
}

Result<int> Unboxed(int number) {
  CADRE_TRY(auto box, Boxed(number));
  return *box;
}

TEST(Result, ErrFormatsItsArguments) {
  const Result<int> odd = Half(3);
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.error().message, "3 is odd");
}

TEST(Result, TryBindsTheValue) {
  EXPECT_EQ(Quarter(12), 3);
}

TEST(Result, TryReturnsTheFirstErrorUnchanged) {
  EXPECT_EQ(Quarter(7).error().message, "7 is odd");
}

TEST(Result, TryReturnsAnErrorFromTheSecondStep) {
  EXPECT_EQ(Quarter(6).error().message, "3 is odd");
}

TEST(Result, TryMovesAValueThatCannotBeCopied) {
  EXPECT_EQ(Unboxed(5), 5);
}

TEST(Result, TryVoidDropsTheValue) {
  EXPECT_TRUE(MustBeEven(4));
}

TEST(Result, TryVoidReturnsTheError) {
  EXPECT_EQ(MustBeEven(5).error().message, "5 is odd");
}

}  // namespace
}  // namespace cadre
