/* SPDX-License-Identifier: Apache-2.0 */
/* A whole job file, up to the frozen job. */
#include "job/job.h"
#include "support.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sm_setting items[] = {{.name = "date", .value = "2021-09-12"}};
    sm_job_options options = {.settings = {items, 1}, .output = "out", .memory = "1GiB"};
    const sm_bytes text = sm_bytes_of(data, size);
    /* A setting that nothing uses is refused. */
    options.settings.count = size >= 7 && memmem(data, size, "${date}", 7) != NULL ? 1 : 0;
    sm_job *job = NULL;
    sm_error err = {.code = SM_OK};
    if (sm_job_load(fuzz_file(text), &options, &job, &err) == SM_OK) {
        fuzz_require(job->table_count != 0 && job->canonical[0] != '\0', "a job has tables");
    } else {
        fuzz_require(job == NULL && err.text[0] != '\0', "a refused job says why");
    }
    sm_job_free(job);
    return 0;
}
