/* SPDX-License-Identifier: Apache-2.0 */
/* What the files behind fs.h share: system calls with fault hooks. Nobody else includes this. */
#ifndef SM_CORE_FS_INTERNAL_H
#define SM_CORE_FS_INTERNAL_H

#include "core/fs.h"

#include <sys/stat.h>
#include <sys/types.h>

/* As open and fsync: -1 and errno on failure; EINTR retried, O_CLOEXEC set. */
int sm_fs_open_fd(const char *path, int flags, mode_t mode);
int sm_fs_sync_fd(int fd);
void sm_fs_fill_info(const struct stat *from, sm_file_info *out);

#endif
