/* A bank with a data race. Two tellers move money from the checking to the savings account, each
 * transfer under the bank's lock. Meanwhile an auditor looks up how much has been saved, and
 * forgets the lock: the C standard gives the program no meaning, and on some machines the auditor
 * sees half of a number.
 *
 * bank.std is what the threads of one run did:
 *   photofinish trace docs/examples/bank.std */

#include <pthread.h>
#include <stdio.h>

enum { Checking, Savings, Accounts };

static long Balance[Accounts] = {1000, 0};
static long Audited;
static pthread_mutex_t BankLock = PTHREAD_MUTEX_INITIALIZER;

static void transfer(int From, int To, long Amount) {
  pthread_mutex_lock(&BankLock);
  Balance[From] -= Amount;
  Balance[To] += Amount;
  pthread_mutex_unlock(&BankLock);
}

static void *teller(void *Amount) {
  for (int I = 0; I < 2; ++I)
    transfer(Checking, Savings, *(long *)Amount);
  return NULL;
}

static void *auditor(void *Unused) {
  (void)Unused;
  Audited = Balance[Savings];
  return NULL;
}

int main(void) {
  long Small = 10, Large = 200;
  pthread_t Alice, Bob, Carol;
  pthread_create(&Alice, NULL, teller, &Small);
  pthread_create(&Bob, NULL, teller, &Large);
  pthread_create(&Carol, NULL, auditor, NULL);
  pthread_join(Alice, NULL);
  pthread_join(Bob, NULL);
  pthread_join(Carol, NULL);
  printf("checking %ld, savings %ld, audited %ld\n", Balance[Checking], Balance[Savings], Audited);
  return 0;
}
