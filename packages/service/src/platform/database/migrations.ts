/**
 * A step of the schema. A released step never changes, and new ones go to the end. A new step only
 * adds, so that the program before it goes on beside the new one, and can come back
 * (`older-programs.test.ts`).
 */
export type Migration = {
  readonly id: number
  readonly name: string
  readonly statements: readonly string[]
  /**
   * Programs whose newest step is older do not start any more. For the step that takes away what
   * the previous program no longer used. Default: those that know `tolerance`.
   */
  readonly worksFrom?: number
}

/** The step with which programs began to start on the schema of a newer one. */
export const tolerance = 21

/** Plain SQL that PGlite and PostgreSQL both run. Money is micro-USD in whole numbers. */
export const migrations: readonly Migration[] = [
  {
    id: 1,
    name: 'ledger',
    statements: [
      `create table account (
         id bigint generated always as identity primary key,
         name text not null unique,
         kind text not null check (kind in ('wallet', 'key')),
         balance bigint not null default 0 check (balance >= 0),
         entries bigint not null default 0,
         created_at timestamptz not null
       )`,
      // numbered without gaps within the account, for the audit
      `create table entry (
         id text primary key,
         account_id bigint not null references account (id),
         number bigint not null check (number > 0),
         amount bigint not null check (amount <> 0),
         balance_after bigint not null check (balance_after >= 0),
         type text not null,
         created_at timestamptz not null,
         request_id text,
         model_id text,
         unique (account_id, number)
       )`,
      `create function refuse_change() returns trigger language plpgsql as $$
       begin
         raise exception 'entries of the ledger are never changed';
       end $$`,
      `create trigger entry_append_only before update or delete on entry for each row execute function refuse_change()`,
      `create trigger entry_no_truncate before truncate on entry for each statement execute function refuse_change()`,
    ],
  },
  {
    id: 2,
    name: 'payments, nonces and idempotency',
    statements: [
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
      `create table siwx_nonce (
         address text not null,
         nonce text not null,
         expires_at timestamptz not null,
         primary key (address, nonce)
       )`,
      `create index siwx_nonce_expires_at on siwx_nonce (expires_at)`,
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
    ],
  },
  {
    id: 3,
    name: 'daily credits, API keys, holds and refunds',
    statements: [
      // daily credit lapses with the UTC day, and diem_spent is that of diem_day
      `alter table account
         add held bigint not null default 0 check (held >= 0 and held <= balance),
         add partner boolean not null default false,
         add diem_daily bigint not null default 0 check (diem_daily >= 0),
         add diem_day date,
         add diem_spent bigint not null default 0 check (diem_spent >= 0)`,
      `create table api_key (
         id uuid primary key,
         account_id bigint not null references account (id),
         type text not null check (type in ('ADMIN', 'INFERENCE')),
         secret_hash text not null unique,
         description text not null,
         limit_usd bigint check (limit_usd >= 0),
         limit_diem bigint check (limit_diem >= 0),
         limit_vcu bigint check (limit_vcu >= 0),
         limit_period text not null check (limit_period in ('EPOCH', 'MONTH', 'LIFETIME')),
         consumed_since timestamptz,
         consumed_usd bigint not null default 0,
         consumed_diem bigint not null default 0,
         expires_at timestamptz,
         created_at timestamptz not null
       )`,
      `create index api_key_account on api_key (account_id, expires_at)`,
      `alter table entry
         drop constraint entry_amount_check,
         add diem_amount bigint not null default 0,
         add diem_day date,
         add key_id uuid references api_key (id),
         add refunds text unique references entry (id),
         add constraint entry_amounts check (amount <> 0 or diem_amount <> 0)`,
      `create table hold (
         id text primary key,
         account_id bigint not null references account (id),
         key_id uuid references api_key (id),
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
      `create table setting (name text primary key, value text not null)`,
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
      // shared by processes, but not safe against a crash of the server
      `create unlogged table rate_window (
         caller text not null,
         class text not null,
         number bigint not null,
         used integer not null,
         primary key (caller, class)
       )`,
      `create table voice (
         id text primary key,
         account_id bigint not null references account (id),
         model text not null,
         created_at timestamptz not null,
         expires_at timestamptz not null
       )`,
      `create table video_job (
         id uuid primary key,
         account_id bigint not null references account (id),
         model text not null,
         request text not null,
         hold_id text not null references hold (id),
         price bigint not null,
         is_private boolean not null,
         idempotency_key text,
         fingerprint text not null,
         state text not null check (state in ('queued', 'running', 'completed', 'failed')),
         attempts integer not null default 0,
         lease_until timestamptz,
         failure text,
         media bytea,
         created_at timestamptz not null,
         started_at timestamptz,
         finished_at timestamptz,
         unique (account_id, idempotency_key)
       )`,
      `create index video_job_open on video_job (created_at) where state in ('queued', 'running')`,
      `create index video_job_finished on video_job (finished_at) where media is not null`,
      `create unlogged table abuse (
         caller text primary key,
         failures timestamptz[] not null,
         blocked_until timestamptz
       )`,
    ],
  },
  {
    id: 4,
    name: 'voices made once for an Idempotency-Key',
    statements: [
      `alter table voice
         add idempotency_key text,
         add fingerprint text,
         add unique (account_id, idempotency_key)`,
    ],
  },
  {
    id: 5,
    name: 'payments on their way through a facilitator',
    statements: [
      `create table open_payment (
         id text primary key,
         state text not null check (state in ('new', 'sent', 'settled')),
         body text,
         requirements text,
         transaction_hash text,
         lease text not null,
         lease_until timestamptz not null,
         created_at timestamptz not null,
         check (state <> 'sent' or body is not null)
       )`,
      `create index open_payment_sent on open_payment (created_at) where state = 'sent'`,
    ],
  },
  {
    id: 6,
    name: 'requests counted by the second',
    statements: [
      `drop table rate_window`,
      // oldest first; admitted: whether the last request was counted
      `create unlogged table rate_window (
         caller text not null,
         class text not null,
         seconds integer[] not null,
         requests integer[] not null,
         admitted boolean not null,
         primary key (caller, class)
       )`,
    ],
  },
  {
    id: 7,
    name: 'settled holds are forgotten',
    statements: [
      // a job outlives its hold
      `alter table video_job drop constraint video_job_hold_id_fkey`,
      `create index hold_settled on hold (created_at) where state <> 'held'`,
    ],
  },
  {
    id: 8,
    name: 'the length of a video is found once',
    statements: [`alter table video_job add seconds double precision`],
  },
  {
    id: 9,
    name: 'API keys under those that made them, and made once for an Idempotency-Key',
    statements: [
      // the maker of the key and the maker's ancestors, whose limits apply too
      `alter table api_key
         add ancestors uuid[] not null default '{}',
         add idempotency_key text,
         add fingerprint text,
         add unique (account_id, idempotency_key)`,
    ],
  },
  {
    id: 11,
    name: 'holds that end with their process',
    statements: [
      // alive_until is in the time of the database, which all processes share
      `create table process (id text primary key, alive_until timestamptz not null)`,
      // null where something else ends the hold: the job of a video, or an older program
      `alter table hold add process_id text`,
    ],
  },
  {
    id: 12,
    name: 'requests of videos outside the job, deleted at its end',
    statements: [
      // in chunks. The first counts the bytes of all. They are written before the job
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
      `insert into video_input (job_id, number, account_id, bytes, content, created_at)
       select id, 0, account_id, octet_length(request), request, created_at from video_job where state in ('queued', 'running')`,
      `alter table video_job drop column request`,
      `create index video_job_ended on video_job (finished_at) where state in ('completed', 'failed')`,
    ],
  },
  {
    id: 13,
    name: 'responses stored for repeats under an Idempotency-Key',
    statements: [
      // a key opens the response that is stored under it, so its hash alone is kept (keyHash)
      `update idempotency set key = encode(sha256(convert_to(key, 'UTF8')), 'hex')`,
      ...['video_job', 'voice', 'api_key'].map(
        (table) => `update ${table} set idempotency_key = encode(sha256(convert_to(idempotency_key, 'UTF8')), 'hex')`,
      ),
      `alter table video_job alter fingerprint drop not null`,
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
    ],
  },
  {
    id: 14,
    name: 'bounds of video inputs that hold for simultaneous requests',
    statements: [
      // each statement of a volatile function sees what was committed before it, and so what the
      // former holder of the lock added; the lock lasts until the insert is committed
      `create function video_input_bytes(account bigint, out own bigint, out total bigint) language plpgsql volatile as $$
       begin
         perform pg_advisory_xact_lock(hashtext('farebox video inputs'));
         select coalesce(sum(bytes) filter (where account_id = account), 0), coalesce(sum(bytes), 0) into own, total
         from video_input where number = 0;
       end $$`,
    ],
  },
  {
    id: 15,
    name: 'API keys that are changed, rotated and revoked',
    statements: [
      // a revoked key has also expired, which an older program reads; previous_hash is the secret
      // before the last rotation, accepted until previous_until
      `alter table api_key
         add revoked_at timestamptz,
         add rotated_at timestamptz,
         add previous_hash text unique,
         add previous_until timestamptz`,
      // apart from the key, whose row every charge locks
      `create table api_key_use (
         key_id uuid primary key references api_key (id) on delete cascade,
         last_used_at timestamptz not null
       )`,
      // entries are appended in the order of time, so an index of blocks costs a charge nothing
      `create index entry_created_at on entry using brin (created_at) with (autosummarize = on)`,
    ],
  },
  {
    id: 16,
    name: 'entries chained by hash',
    statements: [
      // the hash of entry head_number; entries of older processes, which make no hash, follow it
      `alter table account
         add head bytea not null default '\\x${'00'.repeat(32)}',
         add head_number bigint not null default 0`,
      `alter table entry add hash bytea`,
      // a hash may be added, since the audit chains the entries that have none
      `create or replace function refuse_change() returns trigger language plpgsql as $$
       begin
         if tg_op = 'UPDATE' then
           if old.hash is null then
             old.hash := new.hash;
             if old is not distinct from new then return new; end if;
           end if;
         end if;
         raise exception 'entries of the ledger are never changed';
       end $$`,
      `create function next_hash(hash bytea, first bytea, content text) returns bytea language plpgsql immutable as $$
       begin
         return sha256(coalesce(hash, first) || convert_to(content, 'UTF8'));
       end $$`,
      `create aggregate chain_of(first bytea, content text) (sfunc = next_hash, stype = bytea)`,
      // the last entry of an account that was audited; unchained: how many it had before this step
      `create table audited_account (
         account_id bigint primary key references account (id),
         name text not null,
         number bigint not null,
         hash bytea not null,
         unchained bigint not null
       )`,
      `insert into audited_account (account_id, name, number, hash, unchained)
       select id, name, 0, head, entries from account where entries > 0`,
      // number 0 is the account itself
      `create table ledger_fault (
         account_id bigint not null references account (id),
         number bigint not null,
         fault text not null,
         found_at timestamptz not null,
         primary key (account_id, number, fault)
       )`,
    ],
  },
  {
    id: 17,
    name: 'what the work of an entry cost the operator',
    statements: [
      // micro-USD; null where no upstream and no configuration states it
      `alter table entry add cost bigint check (cost >= 0)`,
    ],
  },
  {
    id: 18,
    name: 'orders of videos at upstreams',
    statements: [
      // JSON: where the order is, or may be, for a job that is begun again
      `alter table video_job add column sent_order text`,
    ],
  },
  {
    id: 19,
    name: 'what a video cost the operator',
    statements: [
      // micro-USD; for the process that ends the hold of a job whose process has died
      `alter table video_job add column cost bigint check (cost >= 0)`,
    ],
  },
  {
    id: tolerance,
    name: 'older programs on the schema of newer ones',
    statements: [
      // the newest step that a program has to know for this one; null: this one
      `alter table migration add works_from integer`,
    ],
  },
]
