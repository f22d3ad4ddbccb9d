//===- raytracer.cpp - A picture of 64 spheres -------------------------------------===//
//
// Stands for raytracer of the Java Grande suite (bigfoot.txt Table 1, slimstate.txt Table III): a
// cube of 4 * 4 * 4 shining spheres over a floor, lit by several lamps, with shadows and
// reflections, every ray tested against every body.
//
// The scene is made by the main thread and read by all. Rows of the picture go round the threads. A
// thread adds up what it has drawn by itself and adds the sums to those of the picture under a lock
// when it is through; that is its only synchronization.
//
// For a race detector: reads, again and again, of small objects of doubles that all threads read,
// through virtual calls, with much arithmetic in between; one write for each pixel, and threads are
// neighbours at every row of the picture.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>

namespace {

constexpr double Side = 900;
constexpr unsigned Depth = 4;

struct Vector {
  double X = 0, Y = 0, Z = 0;
};

Vector operator+(Vector A, Vector B) { return {A.X + B.X, A.Y + B.Y, A.Z + B.Z}; }
Vector operator-(Vector A, Vector B) { return {A.X - B.X, A.Y - B.Y, A.Z - B.Z}; }
Vector operator*(double Factor, Vector A) { return {Factor * A.X, Factor * A.Y, Factor * A.Z}; }
double dot(Vector A, Vector B) { return A.X * B.X + A.Y * B.Y + A.Z * B.Z; }
Vector normalized(Vector A) { return 1 / std::sqrt(dot(A, A)) * A; }

struct Ray {
  Vector Origin, Direction;
  Vector at(double Distance) const { return Origin + Distance * Direction; }
};

/// How a body looks.
struct Surface {
  Vector Colour;
  double Diffuse, Specular, Shine, Reflection;
};

class Body {
public:
  explicit Body(const Surface &Skin) : Skin(Skin) {}
  virtual ~Body() = default;
  /// The distance at which the ray enters the body; negative if it does not.
  virtual double distance(const Ray &R) const = 0;
  virtual Vector normal(Vector At) const = 0;

  const Surface Skin;
};

class Sphere final : public Body {
public:
  Sphere(const Surface &Skin, Vector Centre, double Radius)
      : Body(Skin), Centre(Centre), Radius(Radius) {}

  double distance(const Ray &R) const override {
    Vector ToCentre = Centre - R.Origin;
    double Along = dot(ToCentre, R.Direction);
    double Rest = Radius * Radius - dot(ToCentre, ToCentre) + Along * Along;
    return Rest < 0 ? -1 : Along - std::sqrt(Rest);
  }
  Vector normal(Vector At) const override { return 1 / Radius * (At - Centre); }

private:
  Vector Centre;
  double Radius;
};

class Floor final : public Body {
public:
  Floor(const Surface &Skin, double Height) : Body(Skin), Height(Height) {}

  double distance(const Ray &R) const override {
    return R.Direction.Y == 0 ? -1 : (Height - R.Origin.Y) / R.Direction.Y;
  }
  Vector normal(Vector) const override { return {0, 1, 0}; }

private:
  double Height;
};

struct Lamp {
  Vector Position;
  double Brightness;
};

/// Nobody writes it while the threads run.
struct Scene {
  std::vector<std::unique_ptr<Body>> Bodies;
  std::vector<Lamp> Lamps;
  Vector Eye, Sky;
};

Scene makeScene() {
  Scene S;
  for (int I = 0; I < 64; ++I) {
    Vector Place = {double(I % 4), double(I / 4 % 4), double(I / 16)};
    Surface Skin = {
        {0.25 + 0.25 * Place.X, 0.25 + 0.25 * Place.Y, 0.25 + 0.25 * Place.Z}, 0.7, 0.5, 15, 0.3};
    S.Bodies.push_back(std::make_unique<Sphere>(Skin, 3 * Place - Vector{4.5, 4.5, 4.5}, 1.1));
  }
  S.Bodies.push_back(std::make_unique<Floor>(Surface{{0.8, 0.8, 0.7}, 0.8, 0.1, 5, 0.2}, -7));
  S.Lamps = {{{30, 40, -30}, 0.5}, {{-30, 25, -40}, 0.3}, {{0, 50, 0}, 0.2}, {{10, 5, -60}, 0.2}};
  S.Eye = {9, 7, -20};
  S.Sky = {0.3, 0.4, 0.6};
  return S;
}

/// One thread's tracer: the scene, and how many rays it took.
class Tracer {
public:
  explicit Tracer(const Scene &S) : S(S) {}

  /// The colour that is seen along a ray.
  Vector trace(const Ray &R, unsigned DepthLeft) {
    auto [Nearest, Distance] = hit(R);
    if (!Nearest)
      return S.Sky;
    const Surface &Skin = Nearest->Skin;
    Vector At = R.at(Distance), Normal = Nearest->normal(At);
    Vector Mirrored = R.Direction - 2 * dot(R.Direction, Normal) * Normal;
    Vector Colour = 0.1 * Skin.Colour;
    for (const Lamp &L : S.Lamps) {
      Vector ToLamp = L.Position - At;
      double LampDistance = std::sqrt(dot(ToLamp, ToLamp));
      Ray Shadow = {At, 1 / LampDistance * ToLamp};
      double Facing = dot(Shadow.Direction, Normal);
      if (Facing <= 0 || hit(Shadow).Distance < LampDistance)
        continue;
      Colour = Colour + L.Brightness * Skin.Diffuse * Facing * Skin.Colour;
      double Gloss = dot(Shadow.Direction, Mirrored);
      if (Gloss > 0) {
        double Highlight = L.Brightness * Skin.Specular * std::pow(Gloss, Skin.Shine);
        Colour = Colour + Vector{Highlight, Highlight, Highlight};
      }
    }
    if (DepthLeft > 0)
      Colour = Colour + Skin.Reflection * trace({At, Mirrored}, DepthLeft - 1);
    return Colour;
  }

  uint64_t rays() const { return Rays; }

private:
  struct Hit {
    const Body *Nearest;
    double Distance;
  };

  Hit hit(const Ray &R) {
    // Nearer than this is the body that the ray comes from.
    constexpr double Least = 1e-6;
    ++Rays;
    Hit Best = {nullptr, 1e30};
    for (const std::unique_ptr<Body> &B : S.Bodies) {
      double Distance = B->distance(R);
      if (Distance > Least && Distance < Best.Distance)
        Best = {B.get(), Distance};
    }
    return Best;
  }

  const Scene &S;
  uint64_t Rays = 0;
};

/// A pixel is written by the thread that has its row.
struct Picture {
  size_t Side;
  std::vector<uint32_t> Pixel;
  std::mutex Lock;
  /// The sum of all pixels, and the number of rays they took; under Lock.
  uint64_t Checksum = 0, Rays = 0;
};

uint32_t pixel(Vector Colour) {
  uint32_t Packed = 0;
  for (double Part : {Colour.X, Colour.Y, Colour.Z})
    Packed = Packed << 8 | static_cast<uint32_t>(255 * std::min(1.0, Part));
  return Packed;
}

/// One row of the picture, as seen from the eye through a window between it and the spheres.
void drawRow(const Scene &S, size_t Y, size_t Side, Tracer &T, uint32_t *Row) {
  Vector Forward = normalized(Vector{0, -1, 0} - S.Eye);
  Vector Right = normalized({-Forward.Z, 0, Forward.X});
  Vector Up = {Right.Y * Forward.Z - Right.Z * Forward.Y, Right.Z * Forward.X - Right.X * Forward.Z,
               Right.X * Forward.Y - Right.Y * Forward.X};
  auto Window = [Side](size_t I) {
    return 0.8 * (static_cast<double>(I) + 0.5) / static_cast<double>(Side) - 0.4;
  };
  for (size_t X = 0; X < Side; ++X) {
    Vector Direction = Forward + Window(X) * Right - Window(Y) * Up;
    Row[X] = pixel(T.trace({S.Eye, normalized(Direction)}, Depth));
  }
}

void work(const kernel::Settings &S, unsigned Id, const Scene &Scene, Picture &P) {
  Tracer T(Scene);
  uint64_t Checksum = 0;
  for (size_t Y = Id; Y < P.Side; Y += S.Threads) {
    uint32_t *Row = &P.Pixel[Y * P.Side];
    drawRow(Scene, Y, P.Side, T, Row);
    Checksum = std::accumulate(Row, Row + P.Side, Checksum);
  }
  if (S.Race)
    P.Rays += T.rays(); // RACE 1
  std::scoped_lock Lock(P.Lock);
  P.Checksum += Checksum;
  if (!S.Race)
    P.Rays += T.rays();
}

/// The checksum is that of the picture, there are as many rays as a picture of this size takes, and
/// a sample of the rows is what one thread draws.
bool isRight(const kernel::Settings &S, const Scene &Scene, const Picture &P) {
  if (std::accumulate(P.Pixel.begin(), P.Pixel.end(), uint64_t(0)) != P.Checksum)
    return false;
  if (!S.Race && P.Rays < P.Pixel.size())
    return false;
  Tracer T(Scene);
  std::vector<uint32_t> Row(P.Side);
  for (size_t Y = 0; Y < P.Side; Y += 41) {
    drawRow(Scene, Y, P.Side, T, Row.data());
    if (!std::equal(Row.begin(), Row.end(), &P.Pixel[Y * P.Side]))
      return false;
  }
  return true;
}

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  Scene Scene = makeScene();
  Picture P;
  P.Side = std::max<size_t>(32, static_cast<size_t>(std::sqrt(S.Scale) * Side));
  P.Pixel.resize(P.Side * P.Side);
  kernel::inParallel(S.Threads, [&](unsigned Id) { work(S, Id, Scene, P); });

  kernel::Digest Digest;
  for (uint32_t Pixel : P.Pixel)
    Digest.add(uint64_t(Pixel));
  return kernel::finish(S, isRight(S, Scene, P), Digest.value());
}
