/* glibc 2.30 added waits against a chosen clock; libstdc++'s wait_for uses them with the monotonic clock.
 *
 * The old calls wait against the real-time clock, so the deadline is moved over. When somebody sets the real-time
 * clock meanwhile, the wait never ends before its deadline, but a clock set back makes it end late by as much; so did
 * every libstdc++ on those systems. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "hidden.h"

enum { nanoseconds = 1000000000 };

/* Whether a wait may be asked for on this clock and until this time. */
static int is_valid(clockid_t clock, const struct timespec *deadline) {
  return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && deadline->tv_nsec >= 0 &&
         deadline->tv_nsec < nanoseconds;
}

static int has_passed(clockid_t clock, const struct timespec *deadline) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec > deadline->tv_sec || (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

/* The deadline on the real-time clock that lies as far ahead as `deadline` does on `clock`. */
static struct timespec on_real_time(clockid_t clock, const struct timespec *deadline) {
  struct timespec now, real, moved;
  long carry = 0;
  if (clock == CLOCK_REALTIME) return *deadline;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  moved.tv_nsec = real.tv_nsec + deadline->tv_nsec - now.tv_nsec;
  if (moved.tv_nsec < 0) {
    moved.tv_nsec += nanoseconds;
    carry = -1;
  } else if (moved.tv_nsec >= nanoseconds) {
    moved.tv_nsec -= nanoseconds;
    carry = 1;
  }
  /* Real time runs ahead of the monotonic clock, so only a deadline at the end of time can overflow. */
  if (__builtin_add_overflow(deadline->tv_sec, real.tv_sec - now.tv_sec + carry, &moved.tv_sec)) {
    moved.tv_sec = LONG_MAX;
    moved.tv_nsec = nanoseconds - 1;
  }
  return moved;
}

/* A wait that ended early is reported as a wake-up without cause, which callers expect. Waiting again here could miss a
 * notification sent in between. */
KERNEL_BUILDER_HIDDEN int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                                 const struct timespec *deadline) {
  struct timespec moved;
  int result;
  if (!is_valid(clock, deadline)) return EINVAL;
  moved = on_real_time(clock, deadline);
  result = pthread_cond_timedwait(condition, mutex, &moved);
  return result == ETIMEDOUT && !has_passed(clock, deadline) ? 0 : result;
}

/* Locks lose nothing between two tries: try until the lock is there or the deadline has passed on its own clock. */
#define CLOCK_LOCK(name, type, timed_lock)                                                          \
  KERNEL_BUILDER_HIDDEN int name(type *lock, clockid_t clock, const struct timespec *deadline) {    \
    if (!is_valid(clock, deadline)) return EINVAL;                                                  \
    for (;;) {                                                                                      \
      struct timespec moved = on_real_time(clock, deadline);                                        \
      int result = timed_lock(lock, &moved);                                                        \
      if (result != ETIMEDOUT || has_passed(clock, deadline)) return result;                        \
    }                                                                                               \
  }

CLOCK_LOCK(pthread_mutex_clocklock, pthread_mutex_t, pthread_mutex_timedlock)
CLOCK_LOCK(pthread_rwlock_clockrdlock, pthread_rwlock_t, pthread_rwlock_timedrdlock)
CLOCK_LOCK(pthread_rwlock_clockwrlock, pthread_rwlock_t, pthread_rwlock_timedwrlock)

KERNEL_BUILDER_HIDDEN int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline) {
  if (!is_valid(clock, deadline)) {
    errno = EINVAL;
    return -1;
  }
  for (;;) {
    struct timespec moved = on_real_time(clock, deadline);
    int result = sem_timedwait(semaphore, &moved);
    if (result == 0 || errno != ETIMEDOUT || has_passed(clock, deadline)) return result;
  }
}
