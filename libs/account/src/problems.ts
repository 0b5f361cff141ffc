import { problemKinds } from '@hearth/chassis/errors'

/** The problems of accounts, keys and quotas. */
export const accountProblems = problemKinds({
  ambiguous_credentials: [
    400,
    'The request carries two different keys',
    'Send exactly one API key, in the header that this service names in its description.',
  ],
  missing_api_key: [
    401,
    'The request carries no API key',
    'Every request under /v1 needs a key, except signup and sign-in. Sign up at `POST /v1/signup` and send the key in the header that the service names.',
  ],
  malformed_api_key: [
    401,
    'The API key is malformed',
    'The text is not a key: its length, its characters or its checksum are wrong. Copy it again, whole and without spaces or quotes.',
  ],
  invalid_api_key: [
    401,
    'The API key is not valid',
    'The key is well formed, but it is not a key of this service. Keys of another deployment do not work here. A lost key is replaced by signing in (`POST /v1/account/sessions`) and making a new one.',
  ],
  revoked_api_key: [
    401,
    'The API key was revoked',
    'The key was rotated or deleted. Use the key that replaced it, or sign in and make a new one.',
  ],
  expired_api_key: [
    401,
    'The API key has expired',
    'The key was made with an expiry that has passed. Use another key, or sign in and make a new one.',
  ],
  invalid_credentials: [
    401,
    'The credentials are not valid',
    'At sign-in: no account has this e-mail address with this password. With a session token: it is malformed, has expired, or was ended by a change of the password.',
  ],
  plan_upgrade_required: [
    403,
    'The plan does not include this',
    'The member `requiredPlans` names the plans that do. A change of plan holds from the next request.',
  ],
  account_suspended: [
    403,
    'The account is suspended',
    'The operator of the service has suspended the account. Its keys work again when it is resumed.',
  ],
  key_not_found: [
    404,
    'There is no such key',
    'The account has no key with this id. `GET /v1/account/keys` lists its keys.',
  ],
  email_taken: [
    409,
    'The e-mail address has an account',
    'Sign in at `POST /v1/account/sessions` to make a new key for the account.',
  ],
  last_active_key: [
    409,
    'This is the last active key',
    'Deleting it would leave the account without a key. Make another key first, or send `?force=true`; a session can make a new key at any time.',
  ],
  idempotency_conflict: [
    409,
    'The Idempotency-Key was used for another request',
    'The same Idempotency-Key came with different content, or while the first request is still under way. Use a new random value, such as a UUID, for each new request.',
  ],
  quota_exceeded: [
    429,
    'The quota is used up',
    'The daily or monthly quota of the plan is used up. `resetsAt` says when it is full again; `GET /v1/account/usage` costs nothing.',
  ],
  rate_limited: [
    429,
    'Too many requests',
    'A short-term limit is reached: requests per key and second, or signups, sign-ins and failed authentications per address. Wait for the time in `Retry-After`.',
  ],
})
