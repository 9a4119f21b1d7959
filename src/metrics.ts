/** What a process says of itself at `/metrics`: every name, what it means, how it is told apart. */
import {
  type Counter,
  counter,
  exposition,
  type Family,
  type Gauge,
  gauge,
  type Histogram,
  histogram,
} from "./lib/prometheus.ts";

/** From a look-up to a large upload, in seconds. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export type Metrics = ReturnType<typeof openMetrics>;

export function openMetrics() {
  const families = {
    requests: counter(
      "svc_http_requests_total",
      "Requests answered, by surface and status.",
      "surface",
      "status",
    ),
    requestDuration: histogram(
      durations,
      "svc_http_request_duration_seconds",
      "Until an answer begins, by surface.",
      "surface",
    ),
    requestsInFlight: gauge(
      "svc_http_requests_in_flight",
      "Requests whose answer has not begun, by surface.",
      "surface",
    ),
    bytesReceived: counter(
      "svc_http_request_bytes_total",
      "Bytes of bodies that requests announced, by surface.",
      "surface",
    ),
    bytesSent: counter(
      "svc_http_response_bytes_total",
      "Bytes of files that answers announced, by surface.",
      "surface",
    ),
    keptAnswers: counter(
      "svc_http_kept_answers_total",
      "Answers given again, because no row had changed; no operation was called.",
    ),
    operations: counter(
      "svc_operations_total",
      "Calls of operations on every surface, by their status.",
      "operation",
      "status",
    ),
    operationDuration: histogram(
      durations,
      "svc_operation_duration_seconds",
      "Calls of operations on every surface.",
      "operation",
    ),
    operationsInFlight: gauge(
      "svc_operations_in_flight",
      "Operations at work, uploads among them.",
      "operation",
    ),
    streamReaders: gauge("svc_stream_readers", "Readers of the live feed."),
    webhookIgnored: counter(
      "svc_webhook_ignored_total",
      "Webhook deliveries that added nothing, by reason.",
      "reason",
    ),
    eventsAppended: counter("svc_events_appended_total", "Events that this process appended."),

    databaseUp: gauge("svc_database_up", "1 where the database answered this scrape."),
    databaseCalls: histogram(
      durations,
      "svc_database_call_duration_seconds",
      "Reads and transactions, waiting for a turn included.",
      "call",
    ),
    databaseErrors: counter(
      "svc_database_errors_total",
      "Reads and transactions that failed by the database.",
      "call",
    ),
    databaseInFlight: gauge(
      "svc_database_calls_in_flight",
      "Reads and transactions that run or wait for a connection.",
      "call",
    ),
    databaseConnections: gauge(
      "svc_database_connections_max",
      "Connections that reads and transactions share.",
    ),

    storeCalls: histogram(
      durations,
      "svc_store_call_duration_seconds",
      "Calls of the stores.",
      "store",
      "call",
    ),
    storeErrors: counter(
      "svc_store_errors_total",
      "Calls of the stores that failed by the store.",
      "store",
      "call",
    ),
    storeBytes: counter(
      "svc_store_bytes_total",
      "Bytes moved in and out of the stores.",
      "store",
      "direction",
    ),

    outboxRows: gauge("svc_outbox_rows", "Comments that wait for the source host, in the whole deployment."),
    outboxAge: gauge("svc_outbox_oldest_seconds", "Age of the oldest of them."),
    uploadsReserved: gauge(
      "svc_uploads_reserved",
      "Uploads reserved and not finalized, in the whole deployment.",
    ),
    probesRunning: gauge("svc_probes_running", "Uploaded files that are looked at."),
    probesWaiting: gauge("svc_probes_waiting", "Uploaded files that wait to be looked at."),
    leads: gauge("svc_worker_leads", "1 where this process is the one that does this work.", "worker"),
    workerRuns: counter("svc_worker_runs_total", "Rounds of work, by how they ended.", "worker", "outcome"),

    build: gauge("svc_build_info", "What runs; always 1.", "version", "commit", "database"),
    started: gauge("process_start_time_seconds", "When the process started, in seconds since the epoch."),
    cpu: counter("process_cpu_seconds_total", "Processor time that the process took."),
    resident: gauge("process_resident_memory_bytes", "Memory that the process holds."),
    unhandledErrors: counter(
      "svc_unhandled_errors_total",
      "Errors that nothing caught, by kind: exception or rejection.",
      "kind",
    ),
    loopDelay: histogram(
      durations,
      "svc_event_loop_delay_seconds",
      "How much later than asked a timer fires.",
    ),
  };
  return { ...families, text: (): string => exposition(Object.values(families) as Family[]) };
}

/** Measures one kind of call. What counts as a failure is for the caller to say. */
export interface Meter {
  inFlight: Gauge;
  duration: Histogram;
  errors: Counter;
}

export async function measured<T>(
  meter: Pick<Meter, "duration"> & Partial<Meter>,
  work: () => Promise<T>,
  failed?: (error: unknown) => boolean,
): Promise<T> {
  const begun = performance.now();
  meter.inFlight?.add(1);
  try {
    return await work();
  } catch (error) {
    if (failed?.(error)) meter.errors?.add();
    throw error;
  } finally {
    meter.inFlight?.add(-1);
    meter.duration.observe((performance.now() - begun) / 1000);
  }
}
