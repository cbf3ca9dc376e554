"""Counters in Valkey or Redis: one script and one round trip for each count; windows expire by themselves."""

from typing import Any, Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from archive.http.limits.stores import PATIENCE, Count, StoreAwayError

PREFIX: Final = b"kifu-archive:throttle:"

_ADD: Final = """
local total = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
    redis.call('EXPIRE', KEYS[1], ARGV[2])
    left = ARGV[2] * 1000
end
return {total, left}
"""
_TAKE_BACK: Final = """
local total = tonumber(redis.call('GET', KEYS[1]) or '0')
local amount = math.min(total, tonumber(ARGV[1]))
if amount > 0 then
    redis.call('DECRBY', KEYS[1], amount)
end
"""


class RedisStore:
    """The server at a URL such as `redis://localhost:6379/0`; the first call connects."""

    def __init__(self, address: str, prefix: bytes = PREFIX) -> None:
        self.address = address
        self.prefix = prefix
        self.client: redis.Redis | None = None

    def add(self, key: bytes, amount: int, seconds: int) -> Count:
        total, left = self._run(_ADD, key, amount, seconds)
        return Count(total, left / 1000)

    def take_back(self, key: bytes, amount: int) -> None:
        self._run(_TAKE_BACK, key, amount)

    def close(self) -> None:
        if self.client is not None:
            self.client.close()
            self.client = None

    def _run(self, script: str, key: bytes, *values: int) -> Any:
        try:
            if self.client is None:
                self.client = self._connect()
            return self.client.register_script(script)(keys=[self.prefix + key.hex().encode()], args=values)
        # ValueError is for an invalid URL.
        except (redis.RedisError, ValueError) as error:
            raise StoreAwayError(str(error)) from error

    def _connect(self) -> redis.Redis:
        return redis.Redis.from_url(
            self.address,
            socket_timeout=PATIENCE,
            socket_connect_timeout=PATIENCE,
            # No retries: `Counter` falls back to counters of the process.
            retry=Retry(NoBackoff(), 0),
        )
