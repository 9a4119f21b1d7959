/** The Prometheus metrics of a process, as served at `/metrics`: name, help text and labels of each. */
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

/** Histogram buckets in seconds, wide enough for a row lookup and for a large upload. */
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** All metrics of one process. */
export type Metrics = ReturnType<typeof openMetrics>;

export function openMetrics() {
  const families = {
    requests: counter(
      "svc_http_requests_total",
      "Requests served, by surface and status.",
      "surface",
      "status",
    ),
    requestDuration: histogram(
      durations,
      "svc_http_request_duration_seconds",
      "Time until the response starts, by surface.",
      "surface",
    ),
    requestsInFlight: gauge(
      "svc_http_requests_in_flight",
      "Requests whose response has not started, by surface.",
      "surface",
    ),
    bytesReceived: counter(
      "svc_http_request_bytes_total",
      "Size of request bodies by Content-Length, in bytes, by surface.",
      "surface",
    ),
    bytesSent: counter(
      "svc_http_response_bytes_total",
      "Size of file responses by Content-Length, in bytes, by surface.",
      "surface",
    ),
    cachedResponses: counter(
      "svc_http_kept_answers_total",
      "Responses from the response cache; no operation ran.",
    ),
    operations: counter(
      "svc_operations_total",
      "Operation calls on all surfaces, by status.",
      "operation",
      "status",
    ),
    operationDuration: histogram(
      durations,
      "svc_operation_duration_seconds",
      "Duration of operation calls on all surfaces.",
      "operation",
    ),
    operationsInFlight: gauge(
      "svc_operations_in_flight",
      "Operations in progress, including uploads.",
      "operation",
    ),
    streamReaders: gauge("svc_stream_readers", "Open streams of the live feed."),
    webhookIgnored: counter(
      "svc_webhook_ignored_total",
      "Webhooks that added no event, by sender and reason.",
      "sender",
      "reason",
    ),
    eventsAppended: counter("svc_events_appended_total", "Events appended by this process."),

    databaseUp: gauge("svc_database_up", "1 if the database responded during this scrape, 0 otherwise."),
    databaseCalls: histogram(
      durations,
      "svc_database_call_duration_seconds",
      "Duration of reads and transactions, including the wait for a connection.",
      "call",
    ),
    databaseErrors: counter(
      "svc_database_errors_total",
      "Reads and transactions that failed in the database.",
      "call",
    ),
    databaseInFlight: gauge(
      "svc_database_calls_in_flight",
      "Reads and transactions that are running or waiting for a connection.",
      "call",
    ),
    databaseConnections: gauge("svc_database_connections_max", "Size of the database connection pool."),

    storeCalls: histogram(
      durations,
      "svc_store_call_duration_seconds",
      "Duration of calls to the file stores.",
      "store",
      "call",
    ),
    storeErrors: counter(
      "svc_store_errors_total",
      "Calls to the file stores that failed in the store.",
      "store",
      "call",
    ),
    storeBytes: counter(
      "svc_store_bytes_total",
      "Bytes read from and written to the file stores.",
      "store",
      "direction",
    ),

    outboxRows: gauge("svc_outbox_rows", "Comments waiting to be sent to a forge, across the deployment."),
    outboxAge: gauge("svc_outbox_oldest_seconds", "Age of the oldest waiting comment, in seconds."),
    webhookDeliveries: counter(
      "svc_webhook_deliveries_total",
      "Attempts to deliver to webhooks, by outcome.",
      "outcome",
    ),
    webhookDuration: histogram(
      durations,
      "svc_webhook_delivery_duration_seconds",
      "Time until a webhook's receiver answered, or the attempt failed.",
    ),
    webhookLag: histogram(
      [...durations, 60, 600, 3600],
      "svc_webhook_lag_seconds",
      "Time from the append of an event until a webhook's receiver accepted it, without replays.",
    ),
    webhooksLeased: gauge("svc_webhooks_leased", "Webhooks and replays that this process delivers."),
    webhooksInFlight: gauge("svc_webhook_deliveries_in_flight", "Requests to webhooks in progress."),
    webhookLanesWaiting: gauge(
      "svc_webhook_lanes_waiting",
      "Projects of webhooks that wait: for a retry, or for more events of a digest.",
    ),
    uploadsReserved: gauge(
      "svc_uploads_reserved",
      "Uploads reserved but not finalized, across the deployment.",
    ),
    probesRunning: gauge("svc_probes_running", "Uploaded files being inspected."),
    probesWaiting: gauge("svc_probes_waiting", "Uploaded files waiting to be inspected."),
    leads: gauge(
      "svc_worker_leads",
      "1 if this process is the leader for this worker, 0 otherwise.",
      "worker",
    ),
    workerRuns: counter("svc_worker_runs_total", "Worker runs, by outcome.", "worker", "outcome"),

    build: gauge("svc_build_info", "Build information; always 1.", "version", "commit", "database"),
    started: gauge(
      "process_start_time_seconds",
      "Start time of the process, in seconds since the Unix epoch.",
    ),
    cpu: counter("process_cpu_seconds_total", "CPU time used by the process, in seconds."),
    resident: gauge("process_resident_memory_bytes", "Resident memory of the process, in bytes."),
    unhandledErrors: counter(
      "svc_unhandled_errors_total",
      "Uncaught errors, by kind: exception or rejection.",
      "kind",
    ),
    loopDelay: histogram(
      durations,
      "svc_event_loop_delay_seconds",
      "Event loop delay: how late a timer fires, in seconds.",
    ),
  };
  return { ...families, text: (): string => exposition(Object.values(families) as Family[]) };
}

/** The metrics of one kind of call. */
export interface Meter {
  inFlight: Gauge;
  duration: Histogram;
  errors: Counter;
}

/** Runs `work` and records its duration, and an error if `failed` says that it counts as one. */
export async function measure<T>(
  meter: Pick<Meter, "duration"> & Partial<Meter>,
  work: () => Promise<T>,
  failed?: (error: unknown) => boolean,
): Promise<T> {
  const startedAt = performance.now();
  meter.inFlight?.add(1);
  try {
    return await work();
  } catch (error) {
    if (failed?.(error)) meter.errors?.add();
    throw error;
  } finally {
    meter.inFlight?.add(-1);
    meter.duration.observe((performance.now() - startedAt) / 1000);
  }
}
