/** The queue of probe jobs: the files of one uploader cannot starve those of another. */
import { expect, test } from "bun:test";
import { Queue } from "../../../src/files/probe/sandbox/queue.ts";

/** Queues jobs that run until they are ended. */
function openJobs(queue: Queue) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const jobs: Promise<void>[] = [];
  const settle = () => Bun.sleep(0);
  return {
    started,
    async add(...names: string[]): Promise<void> {
      for (const name of names)
        jobs.push(
          queue.run(name.replace(/\d+$/, ""), () => {
            started.push(name);
            return new Promise<void>((resolve) => ends.set(name, resolve));
          }),
        );
      await settle();
    },
    async end(...names: string[]): Promise<void> {
      for (const name of names) ends.get(name)?.();
      await settle();
    },
    done: () => Promise.all(jobs),
  };
}

const never = Number.POSITIVE_INFINITY;

test("a free slot goes to the owner with the fewest running jobs, then to the job that waited longest", async () => {
  const jobs = openJobs(new Queue(2, 10_000, never));
  await jobs.add("eve1", "eve2", "eve3", "eve4", "bob1", "bob2");
  expect(jobs.started).toEqual(["eve1", "eve2"]);
  await jobs.end("eve1");
  await jobs.end("eve2");
  expect(jobs.started.slice(2)).toEqual(["bob1", "eve3"]);
  await jobs.end("bob1", "eve3");
  await jobs.end("bob2", "eve4");
  expect(jobs.started.toSorted()).toEqual(["bob1", "bob2", "eve1", "eve2", "eve3", "eve4"]);
  await jobs.done();
});

test("owners whose last job took long leave one slot to the others", async () => {
  const jobs = openJobs(new Queue(2, 10_000, -1)); // every job counts as long
  await jobs.add("eve1", "eve2");
  await jobs.end("eve1");
  await jobs.add("eve3", "bob1");
  expect(jobs.started).toEqual(["eve1", "eve2", "bob1"]);
  await jobs.end("eve2");
  expect(jobs.started.at(-1)).toBe("eve3");
  await jobs.end("eve3", "bob1");
  await jobs.done();
});

test("on one core, owners whose last job took long still get their turn", async () => {
  const jobs = openJobs(new Queue(1, 10_000, -1));
  await jobs.add("eve1", "eve2", "bob1");
  await jobs.end("eve1");
  await jobs.end("eve2");
  await jobs.end("bob1");
  await jobs.done();
  expect(jobs.started).toEqual(["eve1", "eve2", "bob1"]);
});

test("a job that waited too long in the queue gets a 503", async () => {
  const queue = new Queue(1, 20, never);
  const { promise, resolve } = Promise.withResolvers<string>();
  const first = queue.run("bob", () => promise);
  expect(queue.run("bob", async () => "second")).rejects.toMatchObject({
    status: 503,
    headers: { "retry-after": expect.any(String) },
  });
  await Bun.sleep(40);
  const third = queue.run("bob", async () => "third");
  resolve("first");
  expect(await Promise.all([first, third])).toEqual(["first", "third"]);
  expect(await queue.run(undefined, async () => "fourth")).toBe("fourth");
});
