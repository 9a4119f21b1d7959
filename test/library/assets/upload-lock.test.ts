/** The lock of resumable uploads: the newest request writes, and never beside another one. */
import { expect, test } from "bun:test";
import { uploadLock } from "../../../src/library/assets/upload/upload-lock.ts";

test("of requests that wait for the same writer, one writes at a time, and the newest writes last", async () => {
  const order: string[] = [];
  let writing = 0;
  const write = (name: string) =>
    uploadLock.acquire("upload", async (signal) => {
      expect(++writing).toBe(1);
      order.push(name);
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await Bun.sleep(1);
      writing--;
    });
  const first = write("first");
  await Bun.sleep(1);
  const others = [write("second"), write("third")];
  await first;
  await Bun.sleep(10);
  await uploadLock.interrupt("upload");
  await Promise.all(others);
  expect(order).toEqual(["first", "second", "third"]);
});
