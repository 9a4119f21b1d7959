import { afterAll, expect, spyOn, test } from "bun:test";
import fs from "node:fs";
import { writeOutput } from "../../cli/output/terminal.ts";

const writeSync = spyOn(fs, "writeSync");
const write = spyOn(process.stdout, "write");
afterAll(() => {
  writeSync.mockRestore();
  write.mockRestore();
});

test("what a full pipe has no room for is left to the stream, and all that follows comes after it", () => {
  writeSync.mockReturnValueOnce(3).mockImplementationOnce(() => {
    throw Object.assign(new Error("full"), { code: "EAGAIN" });
  });
  const streamed: string[] = [];
  write.mockImplementation((bytes) => {
    streamed.push(Buffer.from(bytes as Uint8Array).toString());
    return true;
  });
  writeOutput("first");
  writeOutput("second");
  expect(writeSync).toHaveBeenCalledTimes(2);
  expect(streamed).toEqual(["st", "second"]);
});
