/* SPDX-License-Identifier: Apache-2.0 */
/* Fork and join over OpenMP, or over POSIX threads where the sanitizers must see what happens;
 * locks. The only file that may know either. Workers are told apart by number alone, so results
 * never depend on which back end ran them. */
#include "core/par.h"

#include "core/mem.h"

#include <pthread.h>

#if defined(_OPENMP) && !defined(SM_PAR_PTHREADS)
#define USE_OPENMP 1
#include <omp.h>
#else
#define USE_OPENMP 0
#endif

typedef struct outcome {
    sm_status status;
    sm_error error;
} outcome;

typedef struct team {
    sm_worker_fn body;
    void *context;
    unsigned workers;
    outcome *outcomes; /* one per worker, each written by its worker alone */
} team;

static void work(team *t, unsigned worker)
{
    outcome *o = &t->outcomes[worker];
    o->status = t->body(t->context, worker, &o->error);
}

#if USE_OPENMP

/* libgomp ends the process when the system refuses it a thread; a team that is smaller for another
 * reason (OMP_THREAD_LIMIT, nesting) is seen here, before any worker has started. */
static sm_status run_team(team *t, sm_error *err)
{
    int got = 0;
    omp_set_dynamic(0);
#pragma omp parallel num_threads((int)t->workers) default(none) shared(t, got)
    {
        const int threads = omp_get_num_threads();
        if (threads == (int)t->workers) {
            work(t, (unsigned)omp_get_thread_num());
        }
#pragma omp master
        got = threads;
    }
    if (got != (int)t->workers) {
        return sm_fail(err, SM_E_MEMORY,
                       "%u threads were asked for, the system gave %d; use a smaller --threads",
                       t->workers, got);
    }
    return SM_OK;
}

#else

/* Nobody starts before all are there: workers may wait for each other, and a team that is not
 * complete would never end. */
typedef enum gate_state { GATE_SHUT, GATE_OPEN, GATE_CANCELLED } gate_state;

typedef struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    gate_state state;
} gate;

typedef struct seat {
    team *team;
    gate *gate;
    pthread_t thread;
    unsigned worker;
} seat;

static void set_gate(gate *g, gate_state state)
{
    (void)pthread_mutex_lock(&g->mutex);
    g->state = state;
    (void)pthread_cond_broadcast(&g->changed);
    (void)pthread_mutex_unlock(&g->mutex);
}

static void *thread_main(void *argument)
{
    seat *s = argument;
    (void)pthread_mutex_lock(&s->gate->mutex);
    while (s->gate->state == GATE_SHUT) {
        (void)pthread_cond_wait(&s->gate->changed, &s->gate->mutex);
    }
    const bool go = s->gate->state == GATE_OPEN;
    (void)pthread_mutex_unlock(&s->gate->mutex);
    if (go) {
        work(s->team, s->worker);
    }
    return NULL;
}

/* The calling thread is worker 0. */
static sm_status run_seats(team *t, gate *g, seat *seats, sm_error *err)
{
    unsigned started = 1;
    int failure = 0;
    while (started < t->workers && failure == 0) {
        seat *s = &seats[started];
        *s = (seat){.team = t, .gate = g, .worker = started};
        failure = pthread_create(&s->thread, NULL, thread_main, s);
        started += failure == 0 ? 1 : 0;
    }
    set_gate(g, failure == 0 ? GATE_OPEN : GATE_CANCELLED);
    if (failure == 0) {
        work(t, 0);
    }
    for (unsigned i = 1; i < started; i++) {
        (void)pthread_join(seats[i].thread, NULL);
    }
    if (failure != 0) {
        return sm_fail_errno(err, SM_E_MEMORY, failure,
                             "thread %u of %u cannot be started; use a smaller --threads",
                             started + 1, t->workers);
    }
    return SM_OK;
}

static sm_status run_team(team *t, sm_error *err)
{
    gate g = {.state = GATE_SHUT};
    seat *seats = sm_calloc(t->workers, sizeof *seats);
    if (seats == NULL) {
        return sm_fail_memory(err, t->workers * sizeof *seats, "threads");
    }
    (void)pthread_mutex_init(&g.mutex, NULL);
    (void)pthread_cond_init(&g.changed, NULL);
    const sm_status st = run_seats(t, &g, seats, err);
    (void)pthread_cond_destroy(&g.changed);
    (void)pthread_mutex_destroy(&g.mutex);
    sm_free(seats);
    return st;
}

#endif

static sm_status first_failure(const team *t, sm_error *err)
{
    const outcome *first = NULL;
    for (unsigned i = 0; i < t->workers; i++) {
        const outcome *o = &t->outcomes[i];
        if (o->status != SM_OK && (first == NULL || o->error.place < first->error.place)) {
            first = o;
        }
    }
    if (first == NULL) {
        return SM_OK;
    }
    if (err != NULL && err->code == SM_OK) {
        *err = first->error;
    }
    return first->status;
}

sm_status sm_par_run(unsigned workers, sm_worker_fn body, void *context, sm_error *err)
{
    if (workers <= 1) {
        return body(context, 0, err);
    }
    team t = {.body = body, .context = context, .workers = workers};
    t.outcomes = sm_calloc(workers, sizeof *t.outcomes);
    if (t.outcomes == NULL) {
        return sm_fail_memory(err, workers * sizeof *t.outcomes, "the results of threads");
    }
    sm_status st = run_team(&t, err);
    if (st == SM_OK) {
        st = first_failure(&t, err);
    }
    sm_free(t.outcomes);
    return st;
}

struct sm_lock {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

sm_status sm_lock_new(sm_lock **out, sm_error *err)
{
    *out = NULL;
    void *p = NULL;
    const sm_status st = sm_new(sizeof(sm_lock), "a lock", &p, err);
    if (st != SM_OK) {
        return st;
    }
    sm_lock *l = p;
    int failure = pthread_mutex_init(&l->mutex, NULL);
    if (failure == 0) {
        failure = pthread_cond_init(&l->changed, NULL);
        if (failure != 0) {
            (void)pthread_mutex_destroy(&l->mutex);
        }
    }
    if (failure != 0) {
        sm_free(l);
        return sm_fail_errno(err, SM_E_MEMORY, failure, "a lock cannot be made");
    }
    *out = l;
    return SM_OK;
}

void sm_lock_free(sm_lock *l)
{
    if (l == NULL) {
        return;
    }
    (void)pthread_cond_destroy(&l->changed);
    (void)pthread_mutex_destroy(&l->mutex);
    sm_free(l);
}

void sm_lock_take(sm_lock *l)
{
    (void)pthread_mutex_lock(&l->mutex);
}

void sm_lock_give(sm_lock *l)
{
    (void)pthread_mutex_unlock(&l->mutex);
}

void sm_lock_wait(sm_lock *l)
{
    (void)pthread_cond_wait(&l->changed, &l->mutex);
}

void sm_lock_wake_all(sm_lock *l)
{
    (void)pthread_cond_broadcast(&l->changed);
}
