"""Reads questions until there are none; each gets exactly one answer, whatever the project's code does."""

from .channel import Channel
from .failure import describe
from .session import Session


def main():
    channel = Channel()
    session = Session()
    for question in channel:
        try:
            answer = session.answer(question)
        except BaseException as error:  # noqa: B902 - whatever it is, the parent has to hear of it
            answer = describe(error)
        channel.answer(question, answer)


main()
