//===- crypt.cpp - IDEA over a long message, there and back -----------------------===//
//
// Stands for crypt of the Java Grande suite (bigfoot.txt Table 1, slimstate.txt Table III): a
// message is encrypted with the block cipher IDEA into a second array and decrypted from there
// into a third one, which must be equal to the first. This is done with several keys; each
// message after the first is the cipher text of the one before.
//
// Every team of threads lives for one direction only. A thread has a range of blocks of its own
// and reads and writes its arrays there front to back; only the subkeys are read by all. Creating
// and joining the threads is the only synchronization.
//
// For a race detector: long streams of byte reads and byte writes through two large arrays,
// without any operation in between that would end a thread's epoch. Each array is written by one
// team and read by the next. A detector that treats streams as one access has little to do here.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <array>

namespace {

constexpr size_t BlockBytes = 8;
constexpr size_t Blocks = 3 << 20;
constexpr unsigned Rounds = 8;
constexpr unsigned Messages = 5;

using Bytes = std::vector<uint8_t>;
using Words = std::array<uint16_t, 4>;

/// What the threads of a team share about a key. Nobody writes Subkeys while a team runs.
struct Key {
  std::array<uint16_t, 6 * Rounds + 4> Subkeys;
  /// How many threads have worked with the key, for the day when it has to be replaced.
  unsigned Uses = 0;
};

/// Multiplies modulo 2^16 + 1, where 0 stands for 2^16.
uint16_t multiply(uint16_t A, uint16_t B) {
  uint32_t Product = uint32_t(A) * B;
  if (Product == 0)
    return static_cast<uint16_t>(1 - A - B);
  uint16_t Low = static_cast<uint16_t>(Product), High = static_cast<uint16_t>(Product >> 16);
  return static_cast<uint16_t>(Low - High + (Low < High));
}

/// The X with multiply(A, X) == 1: A to the power of 2^16 - 1, by Fermat.
uint16_t inverse(uint16_t A) {
  uint16_t Power = A;
  for (int I = 0; I < 15; ++I)
    Power = multiply(multiply(Power, Power), A);
  return Power;
}

uint16_t negative(uint16_t A) { return static_cast<uint16_t>(-A); }

/// Subkeys are cut from the 128 bits of the key, which turn left by 25 after every eight.
Key encryptionKey(uint64_t High, uint64_t Low) {
  Key Result;
  for (size_t I = 0; I < Result.Subkeys.size(); ++I) {
    if (I > 0 && I % 8 == 0) {
      uint64_t Old = High;
      High = High << 25 | Low >> 39;
      Low = Low << 25 | Old >> 39;
    }
    uint64_t Half = I % 8 < 4 ? High : Low;
    Result.Subkeys[I] = static_cast<uint16_t>(Half >> (48 - 16 * (I % 4)));
  }
  return Result;
}

/// The same rounds with these subkeys undo those with Encryption's: inverses, from the end. The
/// two additive ones change places except at both ends, because a round swaps the middle words.
Key decryptionKey(const Key &Encryption) {
  Key Result;
  for (unsigned Round = 0; Round <= Rounds; ++Round) {
    const uint16_t *From = &Encryption.Subkeys[6 * (Rounds - Round)];
    uint16_t *To = &Result.Subkeys[6 * Round];
    bool IsEnd = Round == 0 || Round == Rounds;
    To[0] = inverse(From[0]);
    To[1] = negative(From[IsEnd ? 1 : 2]);
    To[2] = negative(From[IsEnd ? 2 : 1]);
    To[3] = inverse(From[3]);
    if (Round < Rounds) {
      To[4] = From[-2];
      To[5] = From[-1];
    }
  }
  return Result;
}

Words cipherBlock(const Key &K, Words X) {
  const uint16_t *Subkey = K.Subkeys.data();
  for (unsigned Round = 0; Round < Rounds; ++Round, Subkey += 6) {
    uint16_t A = multiply(X[0], Subkey[0]);
    uint16_t B = static_cast<uint16_t>(X[1] + Subkey[1]);
    uint16_t C = static_cast<uint16_t>(X[2] + Subkey[2]);
    uint16_t D = multiply(X[3], Subkey[3]);
    uint16_t E = multiply(A ^ C, Subkey[4]);
    uint16_t F = multiply(static_cast<uint16_t>((B ^ D) + E), Subkey[5]);
    E = static_cast<uint16_t>(E + F);
    X = {static_cast<uint16_t>(A ^ F), static_cast<uint16_t>(C ^ F), static_cast<uint16_t>(B ^ E),
         static_cast<uint16_t>(D ^ E)};
  }
  return {multiply(X[0], Subkey[0]), static_cast<uint16_t>(X[2] + Subkey[1]),
          static_cast<uint16_t>(X[1] + Subkey[2]), multiply(X[3], Subkey[3])};
}

/// One thread's work: its blocks of From, ciphered into To.
void cipherShare(const Key &K, const Bytes &From, Bytes &To, kernel::Share Mine) {
  for (size_t I = Mine.Begin * BlockBytes; I < Mine.End * BlockBytes; I += BlockBytes) {
    Words X;
    for (size_t W = 0; W < X.size(); ++W)
      X[W] = static_cast<uint16_t>(From[I + 2 * W] << 8 | From[I + 2 * W + 1]);
    X = cipherBlock(K, X);
    for (size_t W = 0; W < X.size(); ++W) {
      To[I + 2 * W] = static_cast<uint8_t>(X[W] >> 8);
      To[I + 2 * W + 1] = static_cast<uint8_t>(X[W]);
    }
  }
}

void cipher(const kernel::Settings &S, Key &K, const Bytes &From, Bytes &To) {
  kernel::inParallel(S.Threads, [&](unsigned Id) {
    if (S.Race)
      ++K.Uses; // RACE 1
    cipherShare(K, From, To, kernel::Share(From.size() / BlockBytes, Id, S.Threads));
  });
}

/// The example that came with the cipher.
bool knowsTheAnswer() {
  Key Encryption = encryptionKey(0x0001000200030004, 0x0005000600070008);
  Words Plain = {0, 1, 2, 3}, Expected = {0x11fb, 0xed2b, 0x0198, 0x6de5};
  Words Cipher = cipherBlock(Encryption, Plain);
  return Cipher == Expected && cipherBlock(decryptionKey(Encryption), Cipher) == Plain;
}

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  Bytes Plain(S.scaled(Blocks) * BlockBytes), Cipher(Plain.size()), Back(Plain.size());
  kernel::Random Random(1);
  for (uint8_t &Byte : Plain)
    Byte = static_cast<uint8_t>(Random.next());

  bool IsRight = knowsTheAnswer();
  kernel::Digest Digest;
  for (unsigned Message = 0; Message < Messages; ++Message) {
    Key Encryption = encryptionKey(Random.next(), Random.next());
    Key Decryption = decryptionKey(Encryption);
    cipher(S, Encryption, Plain, Cipher);
    cipher(S, Decryption, Cipher, Back);
    IsRight = IsRight && Back == Plain;
    for (size_t I = 0; I < Cipher.size(); I += 97)
      Digest.add(uint64_t(Cipher[I]));
    std::swap(Plain, Cipher);
  }
  return kernel::finish(S, IsRight, Digest.value());
}
