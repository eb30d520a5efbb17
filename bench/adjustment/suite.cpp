// SPDX-License-Identifier: BSD-3-Clause
// Bundle adjustment of synthetic problems and of BAL files: cost by time, memory, and whether the
// result has the same bytes for any number of threads.
#include <fmt/format.h>

#include <algorithm>
#include <bifocal/adjust.hpp>
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "adjustment/bal.hpp"
#include "adjustment/problem.hpp"
#include "frame/bench.hpp"
#include "runtime/hash.hpp"

namespace bifocal::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Variant {
  const char* name;
  const char* file;  // end of the name of its file
  AdjustMaking making;
  AdjustLoss loss;
};
constexpr Variant kVariants[] = {
    {"clean", "", {}, AdjustLoss::trivial},
    {"drift", "_drift", {.drift = 0.1}, AdjustLoss::trivial},
    {"wrong", "_wrong", {.wrong = 0.02}, AdjustLoss::trivial},
    {"robust", "_wrong", {.wrong = 0.02}, AdjustLoss::soft_l1},
};

struct Problem {
  std::string name;
  AdjustProblem start;
  double noise_floor = 0;  // 0: unknown
};

// A value of /proc/self/status, bytes; 0 on other systems.
std::int64_t status_bytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::stoll(line.substr(key.size() + 1)) * 1024;
  return 0;
}

// Measures the peak memory of the process since construction, above the memory at construction.
class MemoryPeak {
 public:
  MemoryPeak() {
    std::ofstream("/proc/self/clear_refs") << "5";
    before_ = status_bytes("VmRSS");
  }
  [[nodiscard]] std::int64_t bytes() const { return status_bytes("VmHWM") - before_; }

 private:
  std::int64_t before_;
};

std::string hash_of(const AdjustProblem& problem) {
  std::vector<double> numbers;
  for (const AdjustCamera& camera : problem.cameras)
    numbers.insert(numbers.end(), camera.params.begin(), camera.params.end());
  for (const AdjustImage& image : problem.images) {
    numbers.insert(numbers.end(), image.cam_from_world.R.begin(), image.cam_from_world.R.end());
    numbers.insert(numbers.end(), image.cam_from_world.t.begin(), image.cam_from_world.t.end());
  }
  for (const Vec3& point : problem.points)
    numbers.insert(numbers.end(), point.begin(), point.end());
  return runtime::content_hash(
      {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)});
}

class Bench {
 public:
  explicit Bench(Context& context) : context_(context) {}

  void all_cases() {
    for (const AdjustShape& shape : large_shapes())
      for (const int divisor : {1, 8, 32}) cases(scaled(shape, divisor));
    for (const AdjustShape& shape : small_shapes()) cases(shape);
    for (const std::string& file : context_.adjust.bal)
      for (const Variant& variant : {kVariants[0], kVariants[3]}) {
        const fs::path path(file);
        const auto make = [&] { return Problem{path.stem().string(), read_bal(path)}; };
        cases(fmt::format("adjust/bal/{}/{}", path.stem().string(), to_word(variant.loss)), file,
              variant, make);
      }
  }

 private:
  static std::string_view to_word(AdjustLoss loss) {
    return kAdjustLossWords[static_cast<std::size_t>(loss)];
  }

  void cases(const AdjustShape& shape) {
    for (const Variant& variant : kVariants) {
      const std::string name = shape.name + variant.file;
      const auto make = [&] {
        MadeProblem made = make_adjust_problem(shape, variant.making);
        const double floor = variant.making.wrong > 0 ? 0 : made.noise_floor(variant.making);
        return Problem{name, std::move(made.start), floor};
      };
      cases(fmt::format("adjust/{}/{}", shape.name, variant.name), name, variant, make);
    }
  }

  void cases(const std::string& name, const std::string& key, const Variant& variant,
             const std::function<Problem()>& make) {
    const std::string suffixes[] = {"", "/float", "/threads1", "/hashes", "/made"};
    for (const std::string& suffix : suffixes) {
      if (suffix == "/threads1" && !is_cpu()) continue;
      if (!context_.wanted(name + suffix)) continue;
      const Clock::time_point begin = Clock::now();
      if (key != key_) problem_ = make(), key_ = key, write();
      AdjustOptions options{.loss = variant.loss};
      options.float_blocks = suffix == "/float";
      Record record;
      record.suite = "adjust", record.case_name = name + suffix;
      record.device = context_.device;
      if (suffix == "/made") {
        record.value = seconds_since(begin), record.unit = "s", record.runs = 1;
        add_sizes(record);
      } else if (suffix == "/hashes") {
        compare_bytes(options, record);
      } else {
        adjust_once(options, suffix == "/threads1" ? 1 : 0, record);
      }
      context_.report(std::move(record));
    }
  }

  [[nodiscard]] bool is_cpu() const {
    return Device(context_.device).info().kind == DeviceKind::cpu;
  }

  // Writes the problem into the folder of --write, for other adjusters.
  void write() const {
    if (context_.adjust.write.empty()) return;
    const fs::path folder(context_.adjust.write);
    fs::create_directories(folder);
    write_bal(folder / (problem_.name + ".txt"), problem_.start);
  }

  [[nodiscard]] AdjustOptions chosen(const AdjustOptions& options) const {
    AdjustOptions all = options;
    all.max_iterations = 1000;
    all.function_tolerance = context_.adjust.tolerance;
    all.solver = static_cast<AdjustSolver>(context_.adjust.solver);
    return all;
  }

  // Compiles or loads the device's functions.
  void warm_up(Queue& queue) const {
    if (is_cpu()) return;
    AdjustProblem small = make_adjust_problem(small_shapes().front()).start;
    keep(adjust(queue, small, {.max_iterations = 2, .solver = AdjustSolver::iterative}));
  }

  void adjust_once(const AdjustOptions& given, int threads, Record& record) {
    const ThreadLimit limit(threads);
    Queue queue{Device(context_.device)};
    warm_up(queue);
    AdjustProblem problem = problem_.start;
    AdjustOptions options = chosen(given);
    std::vector<double> seconds, costs;
    const MemoryPeak peak;
    const Clock::time_point begin = Clock::now();
    options.progress = [&](const AdjustIteration& iteration) {
      seconds.push_back(seconds_since(begin)), costs.push_back(iteration.cost);
      return seconds.back() < context_.adjust.seconds;
    };
    const AdjustResult result = adjust(queue, problem, options);
    const double total = seconds_since(begin);
    record.unit = "s", record.runs = 1;
    const auto near =
        std::ranges::find_if(costs, [&](double cost) { return cost <= 1.01 * result.final_cost; });
    if (near != costs.end()) record.value = seconds[static_cast<std::size_t>(near - costs.begin())];
    record.extra = {{"cost", result.final_cost},
                    {"cost_start", result.initial_cost},
                    {"seconds", total},
                    {"iterations", result.iterations},
                    {"reason", std::string(to_string(result.reason))},
                    {"solver", result.is_dense    ? "dense"
                               : result.is_sparse ? "sparse"
                                                  : "iterative"},
                    {"parts", result.parts},
                    {"left_out", result.counts[1] + result.counts[2] + result.counts[3]},
                    {"peak_bytes", peak.bytes()},
                    {"hash", hash_of(problem)},
                    {"history_cost", costs},
                    {"history_s", seconds}};
    std::int64_t cg = 0;
    for (const AdjustIteration& iteration : result.history) cg += iteration.cg_iterations;
    record.extra["cg_iterations"] = cg;
    if (problem_.noise_floor > 0)
      record.extra["cost_by_noise"] = result.final_cost / problem_.noise_floor;
    add_sizes(record);
  }

  // Counts different results of 1, 2, 8 and 16 threads, each twice; on a GPU these are 8 equal
  // runs.
  void compare_bytes(const AdjustOptions& given, Record& record) {
    AdjustOptions options = chosen(given);
    options.max_iterations = 10;
    std::vector<std::string> hashes;
    for (const int threads : {1, 2, 8, 16, 1, 2, 8, 16}) {
      const ThreadLimit limit(threads);
      Queue queue{Device(context_.device)};
      AdjustProblem problem = problem_.start;
      keep(adjust(queue, problem, options));
      hashes.push_back(hash_of(problem));
    }
    record.extra["hash"] = hashes.front();
    record.runs = static_cast<int>(hashes.size());
    std::ranges::sort(hashes);
    record.value = static_cast<double>(std::unique(hashes.begin(), hashes.end()) - hashes.begin());
    record.unit = "results";
    add_sizes(record);
  }

  void add_sizes(Record& record) const {
    record.extra["cameras"] = problem_.start.images.size();
    record.extra["points"] = problem_.start.points.size();
    record.extra["observations"] = problem_.start.observations.size();
  }

  Context& context_;
  std::string key_;  // of problem_
  Problem problem_;
};

}  // namespace

void run_adjust(Context& context) { Bench(context).all_cases(); }

}  // namespace bifocal::bench
