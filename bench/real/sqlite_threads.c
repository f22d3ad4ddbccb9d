//===- sqlite_threads.c - Several threads on one SQLite database ----------------===//
//
//   sqlite_threads FILE THREADS ROUNDS
//
// Two ways to share a database. First every thread has a connection of its own, as SQLite's
// documentation advises: transfers between accounts, and sums of all accounts, which no transfer
// may change. Then all threads use one connection in serialized mode and add rows to a journal.
// Prints what the database holds at the end. Exit code 1: SQLite failed, or a sum was wrong.
//
//===----------------------------------------------------------------------===//

#include "sqlite3.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  Accounts = 2000,
  Balance = 1000,               // of each account, in the beginning
  RowsPerRound = 8,             // of the journal
  MilliToWait = 10 * 60 * 1000, // for another connection: as long as it takes
};

/// What a thread is given.
struct Job {
  const char *File;
  sqlite3 *Shared; // the connection of all threads, for note()
  unsigned Thread, Rounds;
};

static void fail(sqlite3 *Db, const char *What) {
  fprintf(stderr, "sqlite_threads: %s: %s\n", What, Db ? sqlite3_errmsg(Db) : "no connection");
  exit(1);
}

static sqlite3 *openDatabase(const char *File, int MutexMode) {
  sqlite3 *Db = NULL;
  int Flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | MutexMode;
  if (sqlite3_open_v2(File, &Db, Flags, NULL) != SQLITE_OK)
    fail(Db, "open");
  sqlite3_busy_timeout(Db, MilliToWait);
  return Db;
}

static void execute(sqlite3 *Db, const char *Sql) {
  if (sqlite3_exec(Db, Sql, NULL, NULL, NULL) != SQLITE_OK)
    fail(Db, Sql);
}

static sqlite3_stmt *prepare(sqlite3 *Db, const char *Sql) {
  sqlite3_stmt *Statement = NULL;
  if (sqlite3_prepare_v2(Db, Sql, -1, &Statement, NULL) != SQLITE_OK)
    fail(Db, Sql);
  return Statement;
}

/// Runs a statement with two arguments that returns no rows.
static void change(sqlite3 *Db, sqlite3_stmt *Statement, int64_t First, int64_t Second) {
  sqlite3_bind_int64(Statement, 1, First);
  sqlite3_bind_int64(Statement, 2, Second);
  if (sqlite3_step(Statement) != SQLITE_DONE)
    fail(Db, sqlite3_sql(Statement));
  sqlite3_reset(Statement);
}

/// Runs a statement without arguments that returns one number.
static int64_t ask(sqlite3 *Db, sqlite3_stmt *Statement) {
  if (sqlite3_step(Statement) != SQLITE_ROW)
    fail(Db, sqlite3_sql(Statement));
  int64_t Answer = sqlite3_column_int64(Statement, 0);
  sqlite3_reset(Statement);
  return Answer;
}

static int64_t askOnce(sqlite3 *Db, const char *Sql) {
  sqlite3_stmt *Statement = prepare(Db, Sql);
  int64_t Answer = ask(Db, Statement);
  sqlite3_finalize(Statement);
  return Answer;
}

/// Transfers and sums, on a connection of the thread's own.
static void *transfer(void *Argument) {
  const struct Job *J = Argument;
  sqlite3 *Db = openDatabase(J->File, SQLITE_OPEN_NOMUTEX);
  execute(Db, "PRAGMA synchronous = OFF");
  sqlite3_stmt *Add = prepare(Db, "UPDATE account SET balance = balance + ? WHERE id = ?");
  sqlite3_stmt *Sum = prepare(Db, "SELECT sum(balance) FROM account");
  for (unsigned Round = 0; Round < J->Rounds; ++Round) {
    unsigned Number = Round * 7919 + J->Thread * 104729;
    execute(Db, "BEGIN IMMEDIATE");
    change(Db, Add, -(int64_t)(Number % 100), 1 + Number % Accounts);
    change(Db, Add, Number % 100, 1 + Number / 3 % Accounts);
    execute(Db, "COMMIT");
    if (ask(Db, Sum) != (int64_t)Accounts * Balance)
      fail(Db, "the sum of all accounts has changed");
  }
  sqlite3_finalize(Add);
  sqlite3_finalize(Sum);
  if (sqlite3_close(Db) != SQLITE_OK)
    fail(Db, "close");
  return NULL;
}

/// Adds rows and looks at them, on the connection of all threads.
static void *note(void *Argument) {
  const struct Job *J = Argument;
  sqlite3_stmt *Insert = prepare(J->Shared, "INSERT INTO journal VALUES (?, ?, randomblob(40))");
  sqlite3_stmt *Look =
      prepare(J->Shared, "SELECT number FROM journal WHERE thread = ? AND number = ?");
  for (unsigned Row = 0; Row < J->Rounds * RowsPerRound; ++Row) {
    change(J->Shared, Insert, J->Thread, Row);
    sqlite3_bind_int64(Look, 1, J->Thread);
    sqlite3_bind_int64(Look, 2, Row / 2);
    if (ask(J->Shared, Look) != Row / 2)
      fail(J->Shared, "a row of the journal is lost");
  }
  sqlite3_finalize(Insert);
  sqlite3_finalize(Look);
  return NULL;
}

static void inParallel(struct Job *Jobs, unsigned Threads, void *(*Work)(void *)) {
  pthread_t *Team = calloc(Threads, sizeof *Team);
  for (unsigned T = 0; T < Threads; ++T)
    if (pthread_create(&Team[T], NULL, Work, &Jobs[T]) != 0)
      fail(NULL, "pthread_create");
  for (unsigned T = 0; T < Threads; ++T)
    pthread_join(Team[T], NULL);
  free(Team);
}

int main(int Argc, char **Argv) {
  unsigned Threads = Argc == 4 ? (unsigned)strtoul(Argv[2], NULL, 10) : 0;
  unsigned Rounds = Argc == 4 ? (unsigned)strtoul(Argv[3], NULL, 10) : 0;
  if (Threads == 0 || Rounds == 0) {
    fprintf(stderr, "usage: sqlite_threads FILE THREADS ROUNDS\n");
    return 2;
  }

  sqlite3 *Db = openDatabase(Argv[1], SQLITE_OPEN_FULLMUTEX);
  execute(Db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;"
              "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL);"
              "CREATE TABLE journal (thread INTEGER, number INTEGER, text BLOB,"
              " PRIMARY KEY (thread, number)) WITHOUT ROWID;"
              "BEGIN");
  sqlite3_stmt *Open = prepare(Db, "INSERT INTO account VALUES (?, ?)");
  for (int Id = 1; Id <= Accounts; ++Id)
    change(Db, Open, Id, Balance);
  sqlite3_finalize(Open);
  execute(Db, "COMMIT");

  struct Job *Jobs = calloc(Threads, sizeof *Jobs);
  for (unsigned T = 0; T < Threads; ++T)
    Jobs[T] = (struct Job){Argv[1], Db, T, Rounds};

  inParallel(Jobs, Threads, transfer);

  execute(Db, "BEGIN"); // one transaction for all threads: the connection has it, not they
  inParallel(Jobs, Threads, note);
  execute(Db, "COMMIT");

  printf("balance=%lld rows=%lld sum=%lld\n",
         (long long)askOnce(Db, "SELECT sum(balance) FROM account"),
         (long long)askOnce(Db, "SELECT count(*) FROM journal"),
         (long long)askOnce(Db, "SELECT sum(number) FROM journal"));
  free(Jobs);
  if (sqlite3_close(Db) != SQLITE_OK)
    fail(Db, "close");
  return 0;
}
