/**
 * Rooms are quiet: what is below the program writes nothing to the terminal, reads no environment, and opens
 * connections in few places.
 */
import { describe, expect, test } from "bun:test";
import { type Source, sources } from "./support/sources.ts";

describe("rooms", () => {
  const inner = sources.filter(({ path }) => !path.startsWith("cli/"));
  const saying = (list: Source[], words: RegExp): string[] =>
    list.filter(({ text }) => words.test(text)).map((one) => one.path);

  test("below cli never write to the terminal: a client on standard input and output owns it", () => {
    expect(saying(inner, /(?<![\w#.])(process\.std(out|err)|console\.|Bun\.std(out|err))/)).toEqual([]);
  });

  test("below cli open connections in three places alone, to the bucket, to forges and to checked webhooks", () => {
    const opens =
      /(?<![\w#.])fetch\(|\bBun\.(connect|dns)\b|"node:(net|tls|https?|dgram|dns)\b(?!"\)\.isIP\()|\bnew WebSocket\(/;
    const elsewhere = saying(inner, opens).filter(
      (path) =>
        !/^src\/(files\/stores|integrations\/outbox|integrations\/webhooks\/destination|web\/islands)\//.test(
          path,
        ),
    );
    expect(elsewhere).toEqual([]);
  });

  test("make a 403 in one place: `forbidden`", () => {
    expect(saying(sources, /\bnew Problem\(\s*403\b/)).toEqual(["src/core/problem.ts"]);
  });

  test("below cli never read the environment: it is read once, and given to src/core/config.ts", () => {
    expect(saying(inner, /(?<![\w#.])(process\.env|Bun\.env|import\.meta\.env)/)).toEqual([]);
  });

  test("of the program read it in one place, logins, the desktop, agents and a restart in others, seven names aside that are no configuration of a server", () => {
    const program = sources.filter(
      ({ path }) =>
        path.startsWith("cli/") &&
        !/^cli\/(open\.ts$|browser\.ts$|usual-jit\.ts$|login\/|agents\/sessions\/|agents\/connect\/hook-command\.ts$|agents\/wrapped-run\/child-command\.ts$)/.test(
          path,
        ),
    );
    expect(
      saying(
        program,
        /(?<![\w#.])(process\.env(?!\.(SVC_TOKEN|SVC_URL|SVC_RUN_ID|SVC_HOOK_WAIT_MS|SVC_TASK|NO_COLOR|HOME)\b)|Bun\.env)/,
      ),
    ).toEqual([]);
  });
});
