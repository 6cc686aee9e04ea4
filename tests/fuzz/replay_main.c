/* SPDX-License-Identifier: Apache-2.0 */
/* Feeds files, and all files of folders, to a fuzz target: how the corpora are replayed by an
 * ordinary build, without a fuzzer. Each input lies in memory of exactly its size, so that a
 * sanitizer sees a read behind it. */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void feed(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat info;
    fuzz_require(file != NULL && fstat(fileno(file), &info) == 0, path);
    const size_t size = (size_t)info.st_size;
    uint8_t *data = malloc(size == 0 ? 1 : size);
    fuzz_require(data != NULL && fread(data, 1, size, file) == size, path);
    (void)fclose(file);
    (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
}

static int feed_folder(const char *path)
{
    struct dirent **names = NULL;
    const int count = scandir(path, &names, NULL, alphasort);
    fuzz_require(count > 2, path);
    for (int i = 0; i < count; i++) {
        char file[4096];
        (void)snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.') {
            feed(file);
        }
        free(names[i]);
    }
    free(names);
    return count - 2;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++) {
        struct stat info;
        fuzz_require(stat(argv[i], &info) == 0, argv[i]);
        if (S_ISDIR(info.st_mode)) {
            count += feed_folder(argv[i]);
        } else {
            feed(argv[i]);
            count++;
        }
    }
    (void)printf("%d inputs\n", count);
    return count == 0;
}
