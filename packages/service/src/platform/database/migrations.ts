/** A step of the schema. A released step never changes, and new ones go to the end. */
export type Migration = {
  readonly id: number
  readonly name: string
  readonly statements: readonly string[]
}

/**
 * Plain SQL that PGlite and PostgreSQL both run. Money is micro-USD in whole numbers. Nothing has
 * been released, so a change of the schema edits this one step. Then run
 * `node packages/service/prepared/prepare.mjs`.
 */
export const migrations: readonly Migration[] = [
  {
    id: 1,
    name: 'initial schema',
    statements: [
      // diem is the daily credit. It lapses with the UTC day, and diem_spent is that of diem_day.
      // head is the hash of the last entry. frozen_at: since when nothing is bought from it.
      `create table account (
         id bigint generated always as identity primary key,
         name text not null unique,
         kind text not null check (kind in ('wallet', 'key')),
         balance bigint not null default 0 check (balance >= 0),
         held bigint not null default 0 check (held >= 0 and held <= balance),
         entries bigint not null default 0,
         head bytea not null default '\\x${'00'.repeat(32)}',
         partner boolean not null default false,
         diem_daily bigint not null default 0 check (diem_daily >= 0),
         diem_day date,
         diem_spent bigint not null default 0 check (diem_spent >= 0),
         frozen_at timestamptz,
         frozen_by text,
         frozen_reason text,
         created_at timestamptz not null
       )`,
      // secret_hash: previous_hash is that of the secret before the last rotation, accepted until
      // previous_until. ancestors: the maker of the key and the maker's ancestors, whose limits
      // apply too. A revoked key has also expired.
      `create table api_key (
         id uuid primary key,
         account_id bigint not null references account (id),
         type text not null check (type in ('ADMIN', 'INFERENCE')),
         secret_hash text not null unique,
         previous_hash text unique,
         previous_until timestamptz,
         description text not null,
         ancestors uuid[] not null default '{}',
         limit_usd bigint check (limit_usd >= 0),
         limit_diem bigint check (limit_diem >= 0),
         limit_vcu bigint check (limit_vcu >= 0),
         limit_period text not null check (limit_period in ('EPOCH', 'MONTH', 'LIFETIME')),
         consumed_since timestamptz,
         consumed_usd bigint not null default 0,
         consumed_diem bigint not null default 0,
         idempotency_key text,
         fingerprint text,
         created_at timestamptz not null,
         rotated_at timestamptz,
         expires_at timestamptz,
         revoked_at timestamptz,
         unique (account_id, idempotency_key)
       )`,
      `create index api_key_account on api_key (account_id, expires_at)`,
      // apart from the key, whose row every charge locks
      `create table api_key_use (
         key_id uuid primary key references api_key (id) on delete cascade,
         last_used_at timestamptz not null
       )`,
      // numbered without gaps within the account. cost: micro-USD that the work cost the operator,
      // null where no upstream and no configuration states it. hash: see domain/ledger/chain.ts.
      // refunded_before: what earlier refunds gave back of the charge, so that two refunds at once
      // cannot both count on the same rest. actor, reason: of the operator's corrections.
      `create table entry (
         id text primary key,
         account_id bigint not null references account (id),
         number bigint not null check (number > 0),
         amount bigint not null,
         balance_after bigint not null check (balance_after >= 0),
         type text not null,
         diem_amount bigint not null default 0,
         diem_day date,
         request_id text,
         model_id text,
         key_id uuid references api_key (id),
         refunds text references entry (id),
         refunded_before bigint check (refunded_before >= 0),
         cost bigint check (cost >= 0),
         actor text,
         reason text,
         hash bytea not null,
         created_at timestamptz not null,
         unique (account_id, number),
         unique (refunds, refunded_before),
         check ((refunds is null) = (refunded_before is null)),
         constraint entry_amounts check (amount <> 0 or diem_amount <> 0)
       )`,
      // entries are appended in the order of time, so an index of blocks costs a charge nothing;
      // engines that speak PostgreSQL may not have it
      `do $$ begin
         create index entry_created_at on entry using brin (created_at) with (autosummarize = on);
       exception when feature_not_supported or undefined_object then
         create index entry_created_at on entry (created_at);
       end $$`,
      `create function refuse_change() returns trigger language plpgsql as $$
       begin
         raise exception 'entries of the ledger are never changed';
       end $$`,
      `create trigger entry_append_only before update or delete on entry for each row execute function refuse_change()`,
      `create trigger entry_no_truncate before truncate on entry for each statement execute function refuse_change()`,
      `create function next_hash(hash bytea, first bytea, content text) returns bytea language plpgsql immutable as $$
       begin
         return sha256(coalesce(hash, first) || convert_to(content, 'UTF8'));
       end $$`,
      `create aggregate chain_of(first bytea, content text) (sfunc = next_hash, stype = bytea)`,
      // the last entry of an account that was audited
      `create table audited_account (
         account_id bigint primary key references account (id),
         name text not null,
         number bigint not null,
         hash bytea not null
       )`,
      // number 0 is the account itself
      `create table ledger_fault (
         account_id bigint not null references account (id),
         number bigint not null,
         fault text not null,
         found_at timestamptz not null,
         primary key (account_id, number, fault)
       )`,
      // alive_until is in the time of the database, which all processes share; report is what the
      // operator sees of the process
      `create table process (id text primary key, alive_until timestamptz not null, report jsonb)`,
      // process_id: null where the job of a video ends the hold
      `create table hold (
         id text primary key,
         account_id bigint not null references account (id),
         key_id uuid references api_key (id),
         process_id text,
         usd bigint not null check (usd >= 0),
         diem bigint not null check (diem >= 0),
         diem_day date not null,
         request_id text not null,
         model_id text,
         state text not null check (state in ('held', 'captured', 'released')),
         expires_at timestamptz not null,
         created_at timestamptz not null
       )`,
      `create index hold_open on hold (expires_at) where state = 'held'`,
      `create index hold_settled on hold (created_at) where state <> 'held'`,
      // the charge under an Idempotency-Key. key is its hash, here as in all tables (hashKey).
      `create table idempotency (
         account_id bigint not null references account (id),
         operation text not null,
         key text not null,
         fingerprint text not null,
         entry_id text not null references entry (id) deferrable initially deferred,
         created_at timestamptz not null,
         primary key (account_id, operation, key)
       )`,
      `create index idempotency_created_at on idempotency (created_at)`,
      // request_id: whose work is under way, or null; run: how often the key was taken for work;
      // bytes: what a stored response counts, or 0
      `create table keyed_request (
         id bigint generated always as identity primary key,
         account text not null,
         operation text not null,
         key text not null,
         fingerprint text not null,
         run integer not null default 1,
         request_id text,
         process_id text,
         lease_until timestamptz not null,
         salt bytea,
         bytes bigint not null default 0 check (bytes >= 0),
         created_at timestamptz not null,
         unique (account, operation, key)
       )`,
      `create index keyed_request_created_at on keyed_request (created_at)`,
      `create index keyed_request_stored on keyed_request (account, id) include (bytes) where bytes > 0`,
      // number 0 is the head, without which the response is not complete
      `create table response_part (
         keyed_request_id bigint not null references keyed_request (id) on delete cascade,
         run integer not null,
         number integer not null,
         content bytea not null,
         primary key (keyed_request_id, run, number)
       )`,
      // encrypted bytes do not compress
      `alter table response_part alter content set storage external`,
      `create table payment (
         id text primary key,
         network text not null,
         asset text not null,
         payer text not null,
         nonce text not null,
         amount bigint not null check (amount > 0),
         settled_by text not null,
         transaction_hash text not null,
         entry_id text not null unique references entry (id) deferrable initially deferred,
         created_at timestamptz not null,
         unique (network, asset, payer, nonce)
       )`,
      // payments on their way through a facilitator. due: the work that a payment of "upto" is
      // settled for, as JSON, until the ledger has its charge; unsettled: its settlement failed
      `create table open_payment (
         id text primary key,
         state text not null check (state in ('new', 'sent', 'settled')),
         body text,
         requirements text,
         transaction_hash text,
         lease text not null,
         lease_until timestamptz not null,
         created_at timestamptz not null,
         payer text,
         due text,
         unsettled boolean not null default false,
         check (state <> 'sent' or body is not null)
       )`,
      `create index open_payment_due on open_payment (lease_until) where due is not null`,
      `create index open_payment_unsettled on open_payment (payer) where unsettled`,
      `create index open_payment_sent on open_payment (created_at) where state = 'sent'`,
      `create table siwx_nonce (
         address text not null,
         nonce text not null,
         expires_at timestamptz not null,
         primary key (address, nonce)
       )`,
      `create index siwx_nonce_expires_at on siwx_nonce (expires_at)`,
      // limits are shared by processes, but not safe against a crash of the server.
      // seconds: oldest first; admitted: how many requests the last statement counted.
      `create unlogged table rate_window (
         caller text not null,
         class text not null,
         seconds integer[] not null,
         requests integer[] not null,
         admitted integer not null,
         primary key (caller, class)
       )`,
      `create unlogged table abuse (
         caller text primary key,
         failures timestamptz[] not null,
         blocked_until timestamptz
       )`,
      `create table rate_limit_log (
         id bigint generated always as identity primary key,
         account_id bigint not null references account (id) on delete cascade,
         key_id uuid references api_key (id) on delete cascade,
         subject text not null,
         tier text not null,
         type text not null,
         created_at timestamptz not null
       )`,
      `create index rate_limit_log_account on rate_limit_log (account_id, id desc)`,
      `create table voice (
         id text primary key,
         account_id bigint not null references account (id),
         model text not null,
         idempotency_key text,
         fingerprint text,
         created_at timestamptz not null,
         expires_at timestamptz not null,
         unique (account_id, idempotency_key)
       )`,
      // a job outlives its hold. sent_order: JSON, where the order
      // is at an upstream, or may be, for a job that is begun again. cost: micro-USD, for the
      // process that ends the hold of a job whose process has died.
      `create table video_job (
         id uuid primary key,
         account_id bigint not null references account (id),
         model text not null,
         seconds double precision not null,
         hold_id text not null,
         price bigint not null,
         is_private boolean not null,
         idempotency_key text,
         fingerprint text,
         state text not null check (state in ('queued', 'running', 'completed', 'failed')),
         attempts integer not null default 0,
         lease_until timestamptz,
         sent_order text,
         cost bigint check (cost >= 0),
         failure text,
         media bytea,
         created_at timestamptz not null,
         started_at timestamptz,
         finished_at timestamptz,
         unique (account_id, idempotency_key)
       )`,
      `create index video_job_open on video_job (created_at) where state in ('queued', 'running')`,
      `create index video_job_finished on video_job (finished_at) where media is not null`,
      `create index video_job_ended on video_job (finished_at) where state in ('completed', 'failed')`,
      // the request of a video in chunks, written before the job and deleted at its end. The bytes
      // of the first chunk count all of them.
      `create table video_input (
         job_id uuid not null,
         number integer not null,
         account_id bigint not null references account (id),
         bytes bigint not null,
         content text not null,
         created_at timestamptz not null,
         primary key (job_id, number)
       )`,
      // media in base64 compress badly
      `alter table video_input alter content set storage external`,
      `create index video_input_first on video_input (account_id, bytes) where number = 0`,
      // Bounds hold for simultaneous requests: each statement of a volatile function sees what was
      // committed before it, and so what the former holder of the lock added. The lock lasts until
      // the insert is committed.
      `create function video_input_bytes(account bigint, out own bigint, out total bigint) language plpgsql volatile as $$
       begin
         perform pg_advisory_xact_lock(hashtext('farebox video inputs'));
         select coalesce(sum(bytes) filter (where account_id = account), 0), coalesce(sum(bytes), 0) into own, total
         from video_input where number = 0;
       end $$`,
      // images behind URLs
      `create table generated_image (
         id uuid primary key,
         account_id bigint not null references account (id),
         format text not null,
         content bytea not null,
         expires_at timestamptz not null
       )`,
      `create index generated_image_expired on generated_image (expires_at)`,
      `create table setting (name text primary key, value text not null)`,
    ],
  },
]
