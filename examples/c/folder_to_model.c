/* folder_to_model FOLDER OUT [NAME=VALUE...]: photographs of a folder to OUT/sparse/0,
 * a model of COLMAP. OUT exists. NAME=VALUE: options of bf_collect(). */
#include <bifocal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int code) {
  if (code == BF_OK) return;
  fprintf(stderr, "%s\n", bf_error());
  exit(code);
}

static int print_progress(void* user, const bf_progress* p) {
  (void)user;
  fprintf(stderr, "\r%s: %ld %s", p->stage, (long)p->done, p->unit);
  return 0; /* another value cancels the call */
}

static void print_note(void* user, const char* text) {
  (void)user;
  fprintf(stderr, "\n%s\n", text);
}

int main(int argc, char** argv) {
  bf_callbacks callbacks = {.size = sizeof callbacks, .progress = print_progress, .note = print_note};
  bf_collect_result collected = {.size = sizeof collected};
  bf_map_result mapped = {.size = sizeof mapped};
  bf_queue* queue = NULL;
  bf_options *collect = NULL, *map = NULL;
  char database[4096], sparse[4096];
  int i;
  if (argc < 3) {
    fprintf(stderr, "usage: folder_to_model FOLDER OUT [NAME=VALUE...]\n");
    return 2;
  }
  snprintf(database, sizeof database, "%s/photographs.db", argv[2]);
  snprintf(sparse, sizeof sparse, "%s/sparse", argv[2]);
  check(bf_queue_open("auto", &queue));
  check(bf_options_create("collect", &collect));
  for (i = 3; i < argc; ++i) {
    char* value = strchr(argv[i], '=');
    if (value) *value++ = 0;
    check(bf_options_set(collect, argv[i], value)); /* such as sift.max_features=4000 */
  }
  check(bf_options_set_callbacks(collect, &callbacks));
  check(bf_options_create("map", &map));
  check(bf_options_set_callbacks(map, &callbacks));

  check(bf_collect(queue, (const char* const*)&argv[1], 1, database, collect, &collected));
  check(bf_map(queue, database, argv[1], sparse, map, &mapped));
  printf("%ld of %ld pairs are verified\n", (long)collected.verified, (long)collected.pairs);
  printf("%s/0: %ld of %ld images, %ld points, mean error %.2f px\n", sparse, (long)mapped.images,
         (long)collected.images, (long)mapped.points, mapped.mean_error);

  bf_options_free(map);
  bf_options_free(collect);
  bf_queue_free(queue);
  return mapped.models > 0 ? 0 : 5;
}
