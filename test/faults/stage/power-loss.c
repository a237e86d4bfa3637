/*
 * A disk that loses what was not flushed: preloaded into PostgreSQL, it keeps an image of the data directory that holds
 * of each file what it was at its last fsync or fdatasync. Names (rename, unlink, mkdir) are taken to be durable at once.
 * POWER_LOSS_DATA is the directory, POWER_LOSS_IMAGE the image; without them nothing happens.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The function of the C library that is called like the one here. */
#define REAL(name, type) static __typeof__(type) *real; if (!real) real = (__typeof__(type) *)dlsym(RTLD_NEXT, name)

/* The path in the image of a path in the data directory; PostgreSQL works in that directory, so paths may be relative. */
static int imaged(const char *path, char *out) {
  const char *data = getenv("POWER_LOSS_DATA"), *image = getenv("POWER_LOSS_IMAGE");
  if (!data || !image) return 0;
  if (path[0] != '/') return snprintf(out, PATH_MAX, "%s/%s", image, path) < PATH_MAX;
  size_t length = strlen(data);
  if (strncmp(path, data, length) != 0 || path[length] != '/') return 0;
  return snprintf(out, PATH_MAX, "%s%s", image, path + length) < PATH_MAX;
}

/* Copies the whole file; a reader of the image sees the old one or the new one. */
static void keep(int fd) {
  char link[64], path[PATH_MAX], image[PATH_MAX], fresh[PATH_MAX + 32];
  static char buffer[1 << 16];
  struct stat about;
  if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return;
  path[length] = 0;
  if (!imaged(path, image)) return;
  int from = open(path, O_RDONLY);
  if (from < 0) return;
  snprintf(fresh, sizeof fresh, "%s.fresh.%d", image, (int)getpid());
  int to = open(fresh, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ssize_t got = -1;
  while (to >= 0 && (got = read(from, buffer, sizeof buffer)) > 0) {
    if (write(to, buffer, (size_t)got) != got) { got = -1; break; }
  }
  close(from);
  if (to < 0) return;
  close(to);
  REAL("rename", int(const char *, const char *));
  if (got == 0) real(fresh, image);
  else unlink(fresh);
}

int fsync(int fd) {
  REAL("fsync", int(int));
  int result = real(fd), reason = errno;
  if (result == 0) keep(fd);
  errno = reason;
  return result;
}

int fdatasync(int fd) {
  REAL("fdatasync", int(int));
  int result = real(fd), reason = errno;
  if (result == 0) keep(fd);
  errno = reason;
  return result;
}

int rename(const char *from, const char *to) {
  REAL("rename", int(const char *, const char *));
  char image_from[PATH_MAX], image_to[PATH_MAX];
  int result = real(from, to), reason = errno;
  if (result == 0 && imaged(from, image_from) && imaged(to, image_to)) real(image_from, image_to);
  errno = reason;
  return result;
}

int unlink(const char *path) {
  REAL("unlink", int(const char *));
  char image[PATH_MAX];
  int result = real(path), reason = errno;
  if (result == 0 && imaged(path, image)) real(image);
  errno = reason;
  return result;
}

int mkdir(const char *path, mode_t mode) {
  REAL("mkdir", int(const char *, mode_t));
  char image[PATH_MAX];
  int result = real(path, mode), reason = errno;
  if (result == 0 && imaged(path, image)) real(image, mode);
  errno = reason;
  return result;
}

int rmdir(const char *path) {
  REAL("rmdir", int(const char *));
  char image[PATH_MAX];
  int result = real(path), reason = errno;
  if (result == 0 && imaged(path, image)) real(image);
  errno = reason;
  return result;
}
