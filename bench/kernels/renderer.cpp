//===- renderer.cpp - A mesh is ray traced by a work-stealing scheduler --------===//
//
// Stands for sunflow (Tables 1 of BigFoot and SlimState). The scene is a triangle mesh, a bumpy
// ball above wavy ground. A bounding volume hierarchy is built over it and rays are sent through
// it, with shadows, one mirror bounce and some rays into the open sky, for the tiles of a few
// views.
//
// Both phases are trees of tasks: a task for a range of triangles or tiles gives away half of its
// range until little is left. Each thread has a Chase-Lev deque (Chase and Lev, SPAA 2005): the
// owner pushes and pops tasks at the bottom, other threads steal them from the top, all without
// locks. The deque's indices are sequentially consistent; see there why no fence is needed.
//
// To a race detector: during the build, disjoint parts of arrays are written by the thread that
// happens to have the task, ordered only by the atomics of the deque; then triangles and hierarchy
// are read by all threads, in no regular order, and each tile of the image is written by one
// thread. Most accesses are floats in small structs. Tasks are objects that one thread makes,
// another frees.
//
// Result: a pixel depends on its place alone. Checked are the hierarchy (each triangle once, within
// its boxes), that each tile was rendered once, and a sample of rays against all triangles.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

namespace {

//===----------------------------------------------------------------------===//
// Work stealing
//===----------------------------------------------------------------------===//

/// A range of work. Whoever takes it out of a deque owns it.
struct Task {
  size_t Begin, End;
  size_t Place; // in the hierarchy, of its root; not used for tiles
};

/// The tasks that one thread has given away and nobody has taken yet.
///
///   Slots:  ... stolen | Top ... tasks ... | Bottom ... free
///
/// The owner takes the newest task and a thief the oldest one. They can meet at one that is both:
/// then whoever advances Top has it. The owner first lowers Bottom and then reads Top, the thief
/// reads Top and then Bottom; that these four are sequentially consistent is what makes at least
/// one of the two see the other. A thief acquires what came with the task by its read of Bottom, as
/// every value of Bottom is released by the owner.
class Deque {
public:
  /// By the owner. Returns whether there was room.
  bool push(Task *New) {
    size_t B = Bottom.load(std::memory_order_relaxed); // only the owner writes it
    // Acquire: the thief that has advanced Top is done with the slot that is used again now.
    if (B - Top.load(std::memory_order_acquire) == Capacity)
      return false;
    slot(B).store(New, std::memory_order_relaxed); // ordered by Bottom
    Bottom.store(B + 1, std::memory_order_release);
    return true;
  }

  /// By the owner. Null if there is none.
  Task *pop() {
    size_t B = Bottom.load(std::memory_order_relaxed);
    if (B == Top.load(std::memory_order_relaxed)) // Top is never beyond Bottom, and none comes back
      return nullptr;
    Bottom.store(--B, std::memory_order_seq_cst);
    size_t T = Top.load(std::memory_order_seq_cst);
    if (static_cast<ptrdiff_t>(B - T) > 0)
      return slot(B).load(std::memory_order_relaxed);
    // The last one, or it is gone already.
    Task *Last = nullptr;
    if (B == T) {
      Last = slot(B).load(std::memory_order_relaxed);
      if (!Top.compare_exchange_strong(T, T + 1, std::memory_order_seq_cst))
        Last = nullptr;
    }
    Bottom.store(B + 1, std::memory_order_release);
    return Last;
  }

  /// By any thread. Null if there is none, or another thread was faster.
  Task *steal() {
    size_t T = Top.load(std::memory_order_seq_cst);
    size_t B = Bottom.load(std::memory_order_seq_cst);
    if (static_cast<ptrdiff_t>(B - T) <= 0)
      return nullptr;
    // If the slot has been used again meanwhile, Top has advanced and the exchange fails.
    Task *Oldest = slot(T).load(std::memory_order_relaxed);
    if (!Top.compare_exchange_strong(T, T + 1, std::memory_order_seq_cst))
      return nullptr;
    return Oldest;
  }

private:
  static constexpr size_t Capacity = 256;
  std::atomic<Task *> &slot(size_t I) { return Slots[I % Capacity]; }

  alignas(64) std::atomic<size_t> Top = 0;
  alignas(64) std::atomic<size_t> Bottom = 0;
  std::array<std::atomic<Task *>, Capacity> Slots = {};
};

/// Runs a tree of tasks by a team of threads.
class Scheduler {
public:
  explicit Scheduler(unsigned Threads) : Deques(Threads) {}

  /// One thread's view of it.
  class Worker {
  public:
    Worker(Scheduler &Of, unsigned Id) : Of(Of), Id(Id), Victims(Id) {}

    /// Lets some thread do it, if possible another one; otherwise does it here and now.
    template <class Fn> void give(Task New, const Fn &Do) {
      auto Given = std::make_unique<Task>(New);
      Of.Unfinished.fetch_add(1, std::memory_order_relaxed); // this task's own count is still there
      if (Of.Deques[Id].push(Given.get()))
        Given.release(); // belongs to the deque now
      else
        run(std::move(Given), Do);
    }

    /// Does what there is to do, until all is done.
    template <class Fn> void work(const Fn &Do) {
      // Acquire: all that the tasks have written.
      while (Of.Unfinished.load(std::memory_order_acquire) != 0) {
        Task *Next = Of.Deques[Id].pop();
        if (!Next)
          Next = Of.Deques[Victims.below(Of.Deques.size())].steal();
        if (Next)
          run(std::unique_ptr<Task>(Next), Do);
        else
          std::this_thread::yield();
      }
    }

  private:
    template <class Fn> void run(std::unique_ptr<Task> Mine, const Fn &Do) {
      Do(*this, *Mine);
      Of.Unfinished.fetch_sub(1, std::memory_order_release);
    }

    Scheduler &Of;
    unsigned Id;
    kernel::Random Victims;
  };

  /// Calls Prepare(Id) in each thread of a new team, and then Do(Worker, Task) with the first task
  /// and all that are given away.
  template <class PrepareFn, class Fn> void run(Task First, PrepareFn Prepare, Fn Do) {
    Unfinished.store(1, std::memory_order_relaxed); // no thread is there yet
    Deques[0].push(new Task(First));
    kernel::inParallel(static_cast<unsigned>(Deques.size()), [&](unsigned Id) {
      Prepare(Id);
      Worker(*this, Id).work(Do);
    });
  }

private:
  std::vector<Deque> Deques;
  std::atomic<size_t> Unfinished = 0; // tasks that are given away or running
};

//===----------------------------------------------------------------------===//
// Geometry
//===----------------------------------------------------------------------===//

struct Vector {
  float X = 0, Y = 0, Z = 0;

  float operator[](int Axis) const { return Axis == 0 ? X : Axis == 1 ? Y : Z; }
  Vector operator+(Vector V) const { return {X + V.X, Y + V.Y, Z + V.Z}; }
  Vector operator-(Vector V) const { return {X - V.X, Y - V.Y, Z - V.Z}; }
  Vector operator*(float F) const { return {X * F, Y * F, Z * F}; }
};

float dot(Vector A, Vector B) { return A.X * B.X + A.Y * B.Y + A.Z * B.Z; }
Vector cross(Vector A, Vector B) {
  return {A.Y * B.Z - A.Z * B.Y, A.Z * B.X - A.X * B.Z, A.X * B.Y - A.Y * B.X};
}
Vector unit(Vector V) { return V * (1 / std::sqrt(dot(V, V))); }

struct Box {
  static constexpr float Far = std::numeric_limits<float>::max();
  Vector Low = {Far, Far, Far}, High = {-Far, -Far, -Far};

  void add(Vector V) {
    Low = {std::min(Low.X, V.X), std::min(Low.Y, V.Y), std::min(Low.Z, V.Z)};
    High = {std::max(High.X, V.X), std::max(High.Y, V.Y), std::max(High.Z, V.Z)};
  }
  void add(const Box &B) {
    add(B.Low);
    add(B.High);
  }
  bool contains(Vector V) const {
    return Low.X <= V.X && V.X <= High.X && Low.Y <= V.Y && V.Y <= High.Y && Low.Z <= V.Z &&
           V.Z <= High.Z;
  }
};

struct Ray {
  Vector From, Direction, Inverse;

  Ray(Vector From, Vector Direction)
      : From(From), Direction(Direction),
        Inverse{1 / Direction.X, 1 / Direction.Y, 1 / Direction.Z} {}

  /// Where the ray enters a box, if that is before Limit.
  std::optional<float> enters(const Box &B, float Limit) const {
    float Near = 0, Far = Limit;
    for (int Axis = 0; Axis < 3; ++Axis) {
      float A = (B.Low[Axis] - From[Axis]) * Inverse[Axis];
      float C = (B.High[Axis] - From[Axis]) * Inverse[Axis];
      Near = std::max(Near, std::min(A, C));
      // Rounding must not lose a triangle that lies in the box's side.
      Far = std::min(Far, std::max(A, C) * 1.00001f);
    }
    return Near <= Far ? std::optional(Near) : std::nullopt;
  }
};

struct Triangle {
  Vector Corner, Edge1, Edge2, Normal;
  bool IsMirror;

  /// The distance at which a ray meets it.
  std::optional<float> meets(const Ray &R) const {
    Vector P = cross(R.Direction, Edge2);
    float Scale = dot(Edge1, P);
    if (std::abs(Scale) < 1e-12f)
      return std::nullopt;
    Vector S = R.From - Corner;
    float U = dot(S, P) / Scale;
    Vector Q = cross(S, Edge1);
    float V = dot(R.Direction, Q) / Scale;
    float Distance = dot(Edge2, Q) / Scale;
    if (U < 0 || V < 0 || U + V > 1 || Distance < 1e-3f)
      return std::nullopt;
    return Distance;
  }

  Box box() const {
    Box Result;
    Result.add(Corner);
    Result.add(Corner + Edge1);
    Result.add(Corner + Edge2);
    return Result;
  }
  Vector middle() const { return Corner + (Edge1 + Edge2) * (1 / 3.f); }
};

struct Hit {
  const Triangle *At = nullptr;
  float Distance = Box::Far;
};

//===----------------------------------------------------------------------===//
// The scene
//===----------------------------------------------------------------------===//

class Scene {
public:
  float InverseGamma = 0; ///< for saving images; the race of --race is that nothing guards it

  Scene() {
    auto Bumps = [](float A, float B) { return 1 + 0.08f * std::sin(9 * A) * std::sin(7 * B); };
    constexpr float Pi = std::numbers::pi_v<float>;
    patch(96, false, [&](float A, float B) { // a ball
      float Turn = 2 * Pi * A, Height = Pi * B, Radius = Bumps(Turn, Height);
      return Vector{Radius * std::sin(Height) * std::cos(Turn), 1.2f + Radius * std::cos(Height),
                    Radius * std::sin(Height) * std::sin(Turn)};
    });
    patch(64, true, [&](float A, float B) { // the ground
      float X = 16 * (A - 0.5f), Z = 16 * (B - 0.5f);
      return Vector{X, 0.06f * std::sin(3 * X) * std::cos(2 * Z), Z};
    });
    Nodes.resize(2 * Triangles.size());
  }

  size_t triangles() const { return Triangles.size(); }

  /// Task of the build: sorts a range of triangles into a subtree at a place of the array. A
  /// subtree of N triangles takes up at most 2 N - 1 places, so two subtrees never overlap.
  void build(Scheduler::Worker &W, const Task &T) {
    auto Build = [this](Scheduler::Worker &Other, const Task &Given) { build(Other, Given); };
    Box Around, Middles;
    for (size_t I = T.Begin; I < T.End; ++I) {
      Around.add(Triangles[I].box());
      Middles.add(Triangles[I].middle());
    }
    Node &Here = Nodes[T.Place];
    Here = {Around, static_cast<uint32_t>(T.Begin), static_cast<uint32_t>(T.End), 0};
    if (T.End - T.Begin <= LeafSize)
      return;

    Vector Extent = Middles.High - Middles.Low;
    int Axis = Extent.X > Extent.Y ? (Extent.X > Extent.Z ? 0 : 2) : Extent.Y > Extent.Z ? 1 : 2;
    size_t Half = (T.End - T.Begin) / 2;
    auto At = [&](size_t I) { return Triangles.begin() + static_cast<ptrdiff_t>(I); };
    std::nth_element(At(T.Begin), At(T.Begin + Half), At(T.End),
                     [Axis](const Triangle &A, const Triangle &B) {
                       return A.middle()[Axis] < B.middle()[Axis];
                     });
    Task Left{T.Begin, T.Begin + Half, T.Place + 1};
    Task Right{T.Begin + Half, T.End, T.Place + 2 * Half};
    Here.Right = static_cast<uint32_t>(Right.Place);
    if (Right.End - Right.Begin >= TaskSize)
      W.give(Right, Build);
    else
      build(W, Right);
    build(W, Left);
  }

  /// The first triangle on a ray, or with IsAnyEnough some triangle before Limit.
  Hit trace(const Ray &R, float Limit = Box::Far, bool IsAnyEnough = false) const {
    Hit Best{nullptr, Limit};
    std::array<uint32_t, 64> Open; // nodes to look at
    size_t Count = 0;
    Open[Count++] = 0;
    while (Count) {
      const Node &Here = Nodes[Open[--Count]];
      if (!R.enters(Here.Around, Best.Distance))
        continue;
      if (Here.Right) {
        Open[Count++] = Here.Right;
        Open[Count++] = static_cast<uint32_t>(&Here - Nodes.data()) + 1;
        continue;
      }
      for (uint32_t I = Here.Begin; I < Here.End; ++I)
        if (auto Distance = Triangles[I].meets(R); Distance && *Distance < Best.Distance) {
          Best = {&Triangles[I], *Distance};
          if (IsAnyEnough)
            return Best;
        }
    }
    return Best;
  }

  /// The same without the hierarchy.
  Hit traceAll(const Ray &R) const {
    Hit Best;
    for (const Triangle &T : Triangles)
      if (auto Distance = T.meets(R); Distance && *Distance < Best.Distance)
        Best = {&T, *Distance};
    return Best;
  }

  /// Whether the tree at a place has each triangle of [Begin, End) once and within its boxes.
  bool isSound(size_t Place, size_t Begin, size_t End) const {
    const Node &Here = Nodes[Place];
    if (Here.Begin != Begin || Here.End != End)
      return false;
    for (size_t I = Begin; I < End; ++I) {
      const Triangle &T = Triangles[I];
      for (Vector Corner : {T.Corner, T.Corner + T.Edge1, T.Corner + T.Edge2})
        if (!Here.Around.contains(Corner))
          return false;
    }
    if (!Here.Right)
      return End - Begin <= LeafSize;
    size_t Middle = Begin + (End - Begin) / 2;
    return isSound(Place + 1, Begin, Middle) && isSound(Here.Right, Middle, End);
  }

private:
  static constexpr size_t LeafSize = 4, TaskSize = 256; // triangles
  struct Node {
    Box Around;
    uint32_t Begin, End; // triangles
    uint32_t Right;      // child; the left one follows its parent. 0: a leaf
  };

  /// A surface over the unit square as 2 * Steps * Steps triangles.
  template <class Fn> void patch(int Steps, bool IsMirror, Fn Surface) {
    auto At = [&](int I, int J) {
      return Surface(static_cast<float>(I) / static_cast<float>(Steps),
                     static_cast<float>(J) / static_cast<float>(Steps));
    };
    auto Add = [&](Vector A, Vector B, Vector C) {
      Vector Normal = cross(B - A, C - A);
      if (dot(Normal, Normal) > 1e-16f) // none at the poles of the ball
        Triangles.push_back({A, B - A, C - A, unit(Normal), IsMirror});
    };
    for (int I = 0; I < Steps; ++I)
      for (int J = 0; J < Steps; ++J) {
        Add(At(I, J), At(I + 1, J), At(I, J + 1));
        Add(At(I + 1, J + 1), At(I, J + 1), At(I + 1, J));
      }
  }

  // Both written by the tasks of the build, each its own part; read-only afterwards.
  std::vector<Triangle> Triangles;
  std::vector<Node> Nodes;
};

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

constexpr size_t TileSide = 16, TilesPerRow = 20, TilesPerView = 20 * 15;

/// One tile of one view. Written by the task that has it.
struct Tile {
  unsigned Rendered = 0; // how often
  std::array<std::array<uint8_t, 3>, TileSide * TileSide> Pixels;
};

/// The ray through a pixel.
Ray rayOf(size_t TileNumber, size_t Pixel) {
  size_t View = TileNumber / TilesPerView, Place = TileNumber % TilesPerView;
  auto X = static_cast<float>(Place % TilesPerRow * TileSide + Pixel % TileSide);
  auto Y = static_cast<float>(Place / TilesPerRow * TileSide + Pixel / TileSide);
  float Angle = 0.4f + 0.3f * static_cast<float>(View);
  Vector Eye = {4 * std::sin(Angle), 2.2f, 4 * std::cos(Angle)};
  Vector Ahead = unit(Vector{0, 1, 0} - Eye), Aside = unit(cross(Ahead, {0, 1, 0}));
  Vector Up = cross(Aside, Ahead);
  return {Eye, unit(Ahead + Aside * ((X - 160) / 200) + Up * ((120 - Y) / 200))};
}

Vector colourOf(const Scene &In, const Ray &R, kernel::Random &Dice, int Bounces) {
  Hit Met = In.trace(R);
  if (!Met.At)
    return Vector{0.5f, 0.7f, 1} * (0.5f + 0.5f * R.Direction.Y);
  Vector Normal = dot(Met.At->Normal, R.Direction) > 0 ? Met.At->Normal * -1 : Met.At->Normal;
  Vector Where = R.From + R.Direction * Met.Distance + Normal * 1e-3f;

  const Vector Sun = unit({1, 2, 0.5f});
  float Light = std::max(0.f, dot(Normal, Sun));
  if (Light > 0 && In.trace({Where, Sun}, Box::Far, true).At)
    Light = 0;
  constexpr int SkyRays = 3;
  for (int I = 0; I < SkyRays; ++I) {
    Vector Random = {static_cast<float>(Dice.real()) * 2 - 1,
                     static_cast<float>(Dice.real()) * 2 - 1,
                     static_cast<float>(Dice.real()) * 2 - 1};
    if (!In.trace({Where, unit(Normal * 1.8f + Random)}, 2, true).At)
      Light += 0.4f / SkyRays;
  }

  Vector Colour = Met.At->IsMirror ? Vector{0.5f, 0.5f, 0.45f} : Vector{0.9f, 0.4f, 0.2f};
  Colour = Colour * Light;
  if (Met.At->IsMirror && Bounces > 0) {
    Vector Back = R.Direction - Normal * (2 * dot(R.Direction, Normal));
    Colour = Colour * 0.6f + colourOf(In, {Where, Back}, Dice, Bounces - 1) * 0.4f;
  }
  return Colour;
}

/// Task of the second phase: renders a range of tiles.
void render(Scheduler::Worker &W, const Scene &In, std::vector<Tile> &Tiles, Task T) {
  auto Render = [&](Scheduler::Worker &Other, const Task &Given) {
    render(Other, In, Tiles, Given);
  };
  while (T.End - T.Begin > 1) {
    size_t Middle = (T.Begin + T.End) / 2;
    W.give({Middle, T.End, 0}, Render);
    T.End = Middle;
  }
  Tile &Mine = Tiles[T.Begin];
  ++Mine.Rendered;
  for (size_t Pixel = 0; Pixel < Mine.Pixels.size(); ++Pixel) {
    kernel::Random Dice(T.Begin * Mine.Pixels.size() + Pixel);
    Vector Colour = colourOf(In, rayOf(T.Begin, Pixel), Dice, 1);
    for (int I = 0; I < 3; ++I)
      Mine.Pixels[Pixel][static_cast<size_t>(I)] =
          static_cast<uint8_t>(255 * std::sqrt(std::clamp(Colour[I], 0.f, 1.f)));
  }
}

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  Scheduler Team(S.Threads);
  Scene In;
  Team.run(
      {0, In.triangles(), 0}, [](unsigned) {},
      [&](Scheduler::Worker &W, const Task &T) { In.build(W, T); });

  std::vector<Tile> Tiles(S.scaled(3600, 16));
  Team.run(
      {0, Tiles.size(), 0},
      [&](unsigned) {
        if (S.Race)
          In.InverseGamma = In.InverseGamma > 0 ? In.InverseGamma : 0.5f; // RACE 1
      },
      [&](Scheduler::Worker &W, const Task &T) { render(W, In, Tiles, T); });

  bool IsRight = In.isSound(0, 0, In.triangles());
  kernel::Digest Result;
  for (size_t I = 0; I < Tiles.size(); ++I) {
    IsRight = IsRight && Tiles[I].Rendered == 1;
    for (const auto &Pixel : Tiles[I].Pixels)
      for (uint8_t Part : Pixel)
        Result.add(uint64_t{Part});
  }
  for (size_t I = 0; I < 24; ++I) {
    Ray R = rayOf(I * Tiles.size() / 24, I * 11 % (TileSide * TileSide));
    IsRight = IsRight && In.trace(R).Distance == In.traceAll(R).Distance;
  }
  return kernel::finish(S, IsRight, Result.value());
}
