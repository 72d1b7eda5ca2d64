/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Recordings: what is written is read back, only changes are stored, damaged files are refused.
 */

#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"
#include "recording_reader.h"
#include "tegra20_version.h"

static char path[64], error[128];
static struct recording_record record;
static uint8_t memory[2][8192] __attribute__((aligned(8)));

SETUP
{
   strcpy(path, "/tmp/recording-XXXXXX");
   int fd = mkstemp(path);
   assert_true(fd >= 0);
   close(fd);
   memset(memory, 0, sizeof(memory));
}

TEARDOWN
{
   unlink(path);
}

static const uint32_t words[] = {0x00001800, 0x20000000, 0x40000105};
static const struct recorder_cmd cmds[] = {{.count = 2}, {.is_wait = true, .syncpt = 7, .threshold = 99}, {.count = 1}};
static const struct recorder_buffer buffers[] = {{11, 0x10000000, 8192, memory[0]}, {22, 0x20000000, 8192, memory[1]}};

static struct recorder_job
make_job(uint32_t start)
{
   return (struct recorder_job){
      .class_id = 0x60, .buffers = buffers, .num_buffers = 2, .cmds = cmds, .num_cmds = 3, .words = words, .num_words = 3,
      .syncpt = 5, .start_value = start, .end_value = start + 1,
   };
}

/* Two jobs; the second finds one page changed by the CPU. */
static void
write_file(unsigned flags)
{
   struct recorder *recorder = recorder_create(path, flags, false);
   assert_non_null(recorder);
   struct recorder_job job = make_job(100);
   memory[0][5000] = 1;
   assert_true(recorder_begin(recorder, &job));
   memory[1][1] = 2; /* the engine's work */
   assert_true(recorder_end(recorder, &job, true));
   job = make_job(101);
   memory[1][4096] = 3;
   assert_true(recorder_begin(recorder, &job));
   assert_true(recorder_end(recorder, &job, false));
   recorder_forget(recorder, 11);
   recorder_destroy(recorder);
}

static struct recording *
open_file(void)
{
   struct recording *recording = recording_open(path, error, sizeof(error));
   assert_non_null(recording);
   return recording;
}

static int
read_record(struct recording *recording)
{
   return recording_read(recording, &record, error, sizeof(error));
}

static void
expect_record(struct recording *recording, enum recording_type type)
{
   int got = read_record(recording);
   if (got != 1)
      fail_msg("%d: %s", got, error);
   assert_int_equal(record.type, type);
}

/* What reading ends with: 0, or -1 for an error; counts the jobs on the way. */
static int
read_rest(struct recording *recording, unsigned *jobs)
{
   int got;
   while ((got = read_record(recording)) == 1)
      *jobs += record.type == RECORDING_JOB;
   return got;
}

static void
expect_contents(struct recording *recording, enum recording_type type, uint32_t id, uint32_t offset, unsigned index, uint8_t value)
{
   expect_record(recording, type);
   assert_int_equal(record.id, id);
   assert_int_equal(record.offset, offset);
   assert_int_equal(record.length, 4096);
   assert_int_equal(record.data[index], value);
}

static void
expect_job(struct recording *recording, uint32_t end_value)
{
   expect_record(recording, RECORDING_JOB);
   assert_int_equal(record.class_id, 0x60);
   assert_int_equal(record.syncpt, 5);
   assert_int_equal(record.end_value, end_value);
   assert_int_equal(record.num_buffers, 2);
   assert_int_equal(record.buffers[1], 2);
   assert_int_equal(record.num_cmds, 3);
   assert_int_equal(record.cmds[0].count, 2);
   assert_true(record.cmds[1].is_wait);
   assert_int_equal(record.cmds[1].threshold, 99);
   assert_int_equal(record.num_words, 3);
   assert_memory_equal(record.words, words, sizeof(words));
}

TEST(round_trip)
{
   write_file(0);
   struct recording *recording = open_file();
   assert_int_equal(recording_flags(recording), 0);
   expect_record(recording, RECORDING_BUFFER);
   assert_int_equal(record.id, 1);
   assert_int_equal(record.address, 0x10000000);
   assert_int_equal(record.size, 8192);
   expect_contents(recording, RECORDING_MEMORY, 1, 4096, 904, 1);
   expect_record(recording, RECORDING_BUFFER);
   expect_record(recording, RECORDING_SYNCPT);
   assert_int_equal(record.syncpt, 5);
   assert_int_equal(record.value, 100);
   expect_job(recording, 101);
   expect_record(recording, RECORDING_RESULT);
   assert_true(record.ok);
   assert_int_equal(record.num_buffers, 2);
   assert_true(record.hashes[0] == recording_hash(memory[0], 8192));
   assert_true(recording_hash((uint8_t[8]){ 1 }, 8) == 0xaf63bc4c8601b62cull); /* FNV-1a, words instead of bytes */
   /* The engine's work is not stored, the CPU's is. */
   expect_contents(recording, RECORDING_MEMORY, 2, 4096, 0, 3);
   expect_job(recording, 102);
   expect_record(recording, RECORDING_RESULT);
   assert_false(record.ok);
   expect_record(recording, RECORDING_FREE);
   assert_int_equal(record.id, 1);
   assert_int_equal(read_record(recording), 0);
   recording_close(recording);
}

/* From a device: what the engine did is stored behind the job. */
TEST(device)
{
   write_file(RECORDING_FROM_DEVICE);
   struct recording *recording = open_file();
   do
      assert_int_equal(read_record(recording), 1);
   while (record.type != RECORDING_JOB);
   expect_contents(recording, RECORDING_EXPECT, 2, 0, 1, 2);
   expect_record(recording, RECORDING_RESULT);
   recording_close(recording);
}

/* Cut at every length: the records before the cut are read, then comes the end or an error, never anything else. */
TEST(truncated)
{
   struct stat st;
   unsigned jobs = 0;
   write_file(0);
   assert_int_equal(stat(path, &st), 0);
   for (long size = st.st_size - 1; size >= 0; size--) {
      assert_int_equal(truncate(path, size), 0);
      struct recording *recording = recording_open(path, error, sizeof(error));
      assert_int_equal(recording != NULL, size >= 16 + RECORDING_WRITER_SIZE);
      if (recording)
         read_rest(recording, &jobs);
      recording_close(recording);
   }
}

static const struct {
   const char *error;
   long offset;
   uint32_t value; /* there */
   bool opens;
} damages[] = {
   {"is not a recording", 0, 0, false},
   {"has version 3", 8, 3, false},
   {"unknown record type 99", 80, 99, true},
   {"the file ends inside a record", 84, 0x7ffffffc, true},
   {"damaged buffer record", 84, 4, true},
   {"damaged buffer record", 96, 100, true},
   {"damaged memory record", 116, 0x7fffffff, true},
};

TEST_ROWS_CALLED(damaged, damages, error)
{
   unsigned jobs = 0;
   write_file(0);
   FILE *file = fopen(path, "r+b");
   fseek(file, c->offset, SEEK_SET);
   fwrite(&c->value, 4, 1, file);
   fclose(file);
   struct recording *recording = recording_open(path, error, sizeof(error));
   assert_int_equal(recording != NULL, c->opens);
   if (recording)
      assert_int_equal(read_rest(recording, &jobs), -1);
   assert_non_null(strstr(error, c->error));
   recording_close(recording);
}

/* A file of version 1 is one of version 2 without its line. */
TEST(versions)
{
   static uint8_t bytes[1 << 16];
   unsigned jobs = 0;
   write_file(0);
   struct recording *recording = open_file();
   assert_string_equal(recording_writer(recording), tegra20_version);
   recording_close(recording);

   FILE *file = fopen(path, "rb");
   size_t size = fread(bytes, 1, sizeof(bytes), file);
   fclose(file);
   bytes[8] = RECORDING_VERSION_WITHOUT_WRITER;
   file = fopen(path, "wb");
   fwrite(bytes, 16, 1, file);
   fwrite(bytes + 16 + RECORDING_WRITER_SIZE, size - 16 - RECORDING_WRITER_SIZE, 1, file);
   fclose(file);
   recording = open_file();
   assert_string_equal(recording_writer(recording), "");
   assert_int_equal(read_rest(recording, &jobs), 0);
   assert_int_equal(jobs, 2);
   recording_close(recording);
}

TEST(exclusive)
{
   assert_null(recorder_create(path, 0, true)); /* the file exists */
   assert_null(recorder_create("/no/such/folder/file", 0, false));
}
