"""Chinese provider texts put into the words that the rules know, word by word: 输入长度超过最大限制."""

import re
from typing import Final

__all__ = ["in_english"]

_WORDS: Final = {
    "上下文": "context window", "长度": "length", "超长": "too long", "过长": "too long", "太长": "too long",
    "超过": "exceeds", "超出": "exceeds", "超限": "exceeds limit", "大于": "greater than", "最大": "maximum",
    "最多": "at most", "上限": "limit", "限制": "limit", "限额": "limit", "范围": "range", "过大": "too large",
    "太大": "too large", "输入": "input", "内容": "content",
    "输出": "output", "提示词": "prompt", "请求体": "request body",
    "请求": "request", "请求数": "requests", "过多": "too many", "太多": "too many", "频繁": "rate limit",
    "频率": "rate limit", "速率": "rate limit", "限流": "rate limit", "并发": "concurrency limit",
    "每分钟": "per minute", "余额不足": "insufficient balance", "余额": "balance", "欠费": "arrears",
    "配额": "quota", "额度": "quota", "不足": "exceeded", "用完": "exceeded", "用尽": "exceeded", "耗尽": "exceeded",
    "使用": "usage", "重置": "reset", "敏感": "sensitive", "违规": "content policy violation",
    "不安全": "unsafe", "繁忙": "server busy", "过载": "overloaded", "负载过高": "overloaded", "超时": "timed out",
    "鉴权": "authentication", "认证": "authentication", "密钥": "api key", "身份验证": "authentication",
    "内部错误": "internal server error", "服务器错误": "internal server error", "网络错误": "network error",
    "系统错误": "internal server error", "系统异常": "internal server error", "图片": "images", "字节": "bytes",
    "字符": "characters", "消息": "messages", "参数": "parameter", "非法": "invalid", "无效": "invalid",
    "不支持": "not supported", "不存在": "does not exist", "压缩": "reduce", "缩短": "shorten", "。": ". ",
}  # fmt: skip
_WORD: Final = re.compile("|".join(sorted(_WORDS, key=len, reverse=True)))


def in_english(text: str) -> str:
    """Give `text` with the known Chinese words replaced; other scripts stay as they are."""
    return _WORD.sub(lambda match: f" {_WORDS[match[0]]} ", text)
