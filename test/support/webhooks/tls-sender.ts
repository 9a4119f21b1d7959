/**
 * Sends a webhook from a process of its own, whose trusted authorities come from the environment
 * (`NODE_EXTRA_CA_CERTS`), and prints the status or why it failed. Arguments: the URL, and the address that
 * its name has.
 */
import { parseAllowList } from "../../../src/core/lib/http/allow-list.ts";
import { post } from "../../../src/integrations/webhooks/destination/post.ts";
import { must } from "../conditions.ts";

const [url = "", address = ""] = process.argv.slice(2);
const answer = await post(
  { url, headers: {}, body: "hello" },
  { allow: must(parseAllowList("127.0.0.1")), timeoutMs: 10_000, resolve: async () => [address] },
).then(
  ({ status, body }) => `${status} ${body}`,
  (error) => error.message,
);
process.stdout.write(answer);
